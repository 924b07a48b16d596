import { NestingType } from "@aws/durable-execution-sdk-js";

/** How a map works through all of its items: by default it would stop at the first failure, and call that a success. */
export const everyItem = (maxConcurrency: number) => ({
  maxConcurrency,
  /** One operation per item instead of two. */
  nesting: NestingType.FLAT,
  completionConfig: { toleratedFailurePercentage: 100 },
});
