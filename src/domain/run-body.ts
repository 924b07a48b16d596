import * as z from "zod";
import { Json } from "./json.ts";
import { TranscriptStep } from "./transcript.ts";

/** The first and last part of what a run printed, and how much between them was dropped. */
export const CapturedOutput = z.object({
  head: z.string(),
  tail: z.string(),
  bytes: z.int().nonnegative(),
  droppedBytes: z.int().nonnegative(),
});
export type CapturedOutput = z.infer<typeof CapturedOutput>;

export const NO_OUTPUT: CapturedOutput = { head: "", tail: "", bytes: 0, droppedBytes: 0 };

/** What is too large for a log entry and loads on demand. */
export const RunBody = z.object({
  v: z.literal(1),
  result: Json.nullable(),
  transcript: z.array(TranscriptStep),
  stdout: CapturedOutput,
  stderr: CapturedOutput,
});
export type RunBody = z.infer<typeof RunBody>;

export const NO_BODY: RunBody = {
  v: 1,
  result: null,
  transcript: [],
  stdout: NO_OUTPUT,
  stderr: NO_OUTPUT,
};
