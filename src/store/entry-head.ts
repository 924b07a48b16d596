import * as z from "zod";
import type { Json } from "../domain/json.ts";
import { LogEntry } from "../domain/log-entry.ts";
import type { Problem } from "../domain/problem.ts";
import { cutText } from "./cut-text.ts";

const MAX_HEAD_BYTES = 8_192;
const MAX_HEAD_RESULT_BYTES = 4_096;

/** What came out of `JSON.parse` needs no second look, and a deep value would overflow the stack of one. */
export const ParsedJson = z.custom<Json>((value) => value !== undefined);

/** A log entry as its row keeps it: without the problem, which is stored once per evaluation. */
export const EntryHead = LogEntry.omit({ problem: true, expected: true, tags: true }).extend({
  result: ParsedJson,
});
export type EntryHead = z.infer<typeof EntryHead>;

/** Cuts what is long until the head's JSON fits; the body keeps the whole result and output. */
export function toEntryHead(entry: LogEntry): EntryHead {
  const { problem: _problem, expected: _expected, tags: _tags, ...whole } = entry;
  const head = { ...whole, result: fitsHead(entry.result) ? entry.result : null };
  for (const size of SIZES) {
    const cut = cutTexts(head, size);
    if (Buffer.byteLength(JSON.stringify(cut)) <= MAX_HEAD_BYTES) return cut;
  }
  return { ...cutTexts(head, SMALLEST), result: null };
}

export const toLogEntry = (head: EntryHead, { problem, expected, tags }: Problem): LogEntry => ({
  ...head,
  problem,
  expected,
  tags: [...tags],
});

interface Size {
  readonly textBytes: number;
  readonly attempts: number;
}

const SMALLEST: Size = { textBytes: 64, attempts: 3 };
const SIZES: readonly Size[] = [
  ...[Number.POSITIVE_INFINITY, 4_096, 2_048, 1_024, 512, 256, 128, 64].map((textBytes) => ({
    textBytes,
    attempts: Number.POSITIVE_INFINITY,
  })),
  SMALLEST,
];

const fitsHead = (result: Json): boolean =>
  Buffer.byteLength(JSON.stringify(result)) <= MAX_HEAD_RESULT_BYTES;

function cutTexts(head: EntryHead, { textBytes, attempts }: Size): EntryHead {
  const cut = (text: string): string => cutText(text, textBytes);
  const cutOrNull = (text: string | null): string | null => (text === null ? null : cut(text));
  return {
    ...head,
    reason: cutOrNull(head.reason),
    failure: head.failure && { ...head.failure, message: cut(head.failure.message) },
    attempts: head.attempts
      .slice(-attempts)
      .map((attempt) => ({ ...attempt, message: cutOrNull(attempt.message) })),
    stdout: { ...head.stdout, head: cut(head.stdout.head) },
    stderr: { ...head.stderr, head: cut(head.stderr.head) },
  };
}
