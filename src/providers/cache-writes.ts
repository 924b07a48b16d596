import type { CallUsage } from "../domain/usage.ts";

type Tokens = number | null | undefined;

/** What a reply says of the cache that it filled, if it did. */
export const cacheWrites = (
  written: Tokens,
  forAnHour?: Tokens,
): Pick<CallUsage, "cacheWriteTokens" | "cacheWriteHourTokens"> => ({
  ...(written ? { cacheWriteTokens: written } : {}),
  ...(forAnHour ? { cacheWriteHourTokens: forAnHour } : {}),
});
