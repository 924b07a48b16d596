import { type CapturedOutput, NO_OUTPUT } from "../../src/domain/run-body.ts";

/** What a run that printed this text leaves in its body. */
export const printed = (text: string): CapturedOutput => ({
  ...NO_OUTPUT,
  head: text,
  bytes: Buffer.byteLength(text),
});
