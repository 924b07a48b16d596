import type { LogEntry } from "../domain/log-entry.ts";
import { type CapturedOutput, NO_OUTPUT, RunBody } from "../domain/run-body.ts";
import { type EntryHead, ParsedJson } from "./entry-head.ts";

/** The body as it must be written, or null when the head alone can give it back. */
export function bodyToKeep(entry: LogEntry, head: EntryHead, body: RunBody): RunBody | null {
  const whole = { ...body, result: body.result ?? entry.result };
  const inHead = JSON.stringify(whole.result) === JSON.stringify(head.result);
  const silent = isNothing(whole.stdout) && isNothing(whole.stderr);
  return inHead && silent && whole.transcript.length === 0 ? null : whole;
}

export const bodyOfHead = (head: Pick<EntryHead, "result">): RunBody => ({
  v: 1,
  result: head.result,
  transcript: [],
  stdout: NO_OUTPUT,
  stderr: NO_OUTPUT,
});

export const StoredBody = RunBody.extend({ result: ParsedJson });

const isNothing = ({ head, tail, bytes, droppedBytes }: CapturedOutput): boolean =>
  head === "" && tail === "" && bytes === 0 && droppedBytes === 0;
