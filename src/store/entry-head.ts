import * as z from "zod";
import type { Json } from "../domain/json.ts";
import { definedFields } from "../domain/json.ts";
import type { Problem } from "../domain/problem.ts";
import { type CapturedOutput, LogEntry, NO_BODY, RunBody } from "../domain/run/log-entry.ts";

const MAX_HEAD_BYTES = 8_192;
const MAX_HEAD_RESULT_BYTES = 4_096;
/** Texts are not cut further than this to keep a result. */
const KEPT_TEXT_BYTES = 2_048;

/** Schema of what came out of `JSON.parse`: it needs no second look, and a deep value would overflow the stack of one. */
export const ParsedJson = z.custom<Json>((value) => value !== undefined);

/** A log entry as its row keeps it: without the problem, which is stored once per evaluation. */
export const EntryHead = LogEntry.omit({
  problem: true,
  expected: true,
  tags: true,
  problemMetadata: true,
}).extend({
  result: ParsedJson,
});
export type EntryHead = z.infer<typeof EntryHead>;

/** Cuts what is long until the head's JSON fits; the body keeps the whole result and output. */
export function toEntryHead(entry: LogEntry): EntryHead {
  const { problem: _p, expected: _e, tags: _t, problemMetadata: _m, ...whole } = entry;
  const head = { ...whole, result: fitsHead(entry.result) ? entry.result : null };
  // The body has the result too, and nothing else has the texts.
  const bare = { ...head, result: null };
  const long = SIZES.filter(({ textBytes }) => textBytes >= KEPT_TEXT_BYTES);
  const tries = [...long.map((size) => [head, size] as const), ...SIZES.map((size) => [bare, size] as const)];
  for (const [whole, size] of tries) {
    const cut = cutTexts(whole, size);
    if (Buffer.byteLength(JSON.stringify(cut)) <= MAX_HEAD_BYTES) return cut;
  }
  return cutTexts(bare, SMALLEST);
}

export const toLogEntry = (head: EntryHead, { problem, expected, tags, metadata }: Problem): LogEntry => ({
  ...head,
  problem,
  expected,
  tags: [...tags],
  ...definedFields({ problemMetadata: metadata }),
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

/** The body as it must be written, or null when the head alone can give it back. */
export function bodyToKeep(entry: LogEntry, head: EntryHead, body: RunBody): RunBody | null {
  const whole = { ...body, result: body.result ?? entry.result };
  const inHead = JSON.stringify(whole.result) === JSON.stringify(head.result);
  const silent = isNothing(whole.stdout) && isNothing(whole.stderr);
  return inHead && silent && whole.transcript.length === 0 ? null : whole;
}

export const bodyOfHead = ({ result }: Pick<EntryHead, "result">): RunBody => ({ ...NO_BODY, result });

export const StoredBody = RunBody.extend({ result: ParsedJson });

const isNothing = ({ head, tail, bytes, droppedBytes }: CapturedOutput): boolean =>
  head === "" && tail === "" && bytes === 0 && droppedBytes === 0;

/** Shortens a text to so many bytes of JSON, and says how many characters are missing. */
function cutText(text: string, maxBytes: number): string {
  if (text.length <= maxBytes && jsonBytes(text) <= maxBytes) return text;
  const kept = text.slice(0, longestPrefix(text, maxBytes));
  return `${kept}… (${text.length - kept.length} more characters)`;
}

function longestPrefix(text: string, maxBytes: number): number {
  let fits = 0;
  let tooLong = Math.min(text.length, maxBytes) + 1;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (jsonBytes(text.slice(0, middle)) <= maxBytes) fits = middle;
    else tooLong = middle;
  }
  return isInsidePair(text, fits) ? fits - 1 : fits;
}

const isInsidePair = (text: string, at: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(at - 1, 0), at + 1));

/** JSON escapes quotes, control characters and lone surrogates, so characters do not tell the size. */
const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
