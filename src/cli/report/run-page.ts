import { entryModelKey, type LogEntry } from "../../domain/log-entry.ts";
import type { CapturedOutput, RunBody } from "../../domain/run-body.ts";
import { formatCost } from "../../domain/show/format-cost.ts";
import { plural } from "../../domain/show/format-count.ts";
import { formatDuration } from "../../domain/show/format-duration.ts";
import { BLANK, type Line } from "../text/line.ts";
import { textBlock, valueBlock } from "../text/text-block.ts";
import { transcriptLines } from "./transcript-lines.ts";
import { verdictMark, verdictOf } from "./verdict.ts";

export interface RunPageInput {
  /** Every round of the run, oldest first; the last one is shown. */
  readonly rounds: readonly LogEntry[];
  readonly entry: LogEntry;
  readonly body: RunBody | null;
  readonly width: number;
}

/** One run, from the problem to the last thing it printed. */
export function runPage({ rounds, entry, body, width }: RunPageInput): Line[] {
  const result = entry.result ?? body?.result ?? null;
  return [
    titleLine(entry),
    factsLine(entry, body),
    ...section("Problem", valueBlock(entry.problem, width), entry.problemId),
    ...(entry.expected === null ? [] : section("Expected", valueBlock(entry.expected, width))),
    ...(entry.failure === null || result !== null ? section("Result", valueBlock(result, width)) : []),
    ...(entry.reason === null ? [] : section("Reason", textBlock(entry.reason, width))),
    ...failureLines(entry, width),
    ...(entry.wasForged ? section("Forged entry", textBlock(FORGED, width)) : []),
    ...attemptLines(entry),
    ...roundLines(rounds),
    ...(body === null ? [] : section("Transcript", transcriptLines(body.transcript, width))),
    ...outputLines("Printed to stdout", body?.stdout, width),
    ...outputLines("Printed to stderr", body?.stderr, width),
  ];
}

const FORGED =
  "The store held another entry for this run that the evaluator had not written. It was replaced and does not count.";

function titleLine(entry: LogEntry): Line {
  const verdict = verdictOf(entry);
  const score = entry.score === null ? "" : `, score ${entry.score}`;
  return [
    verdictMark(verdict),
    [` ${verdict === "unscored" ? "not scored" : verdict}${score}`, "bold"],
    [`  ${entryModelKey(entry)}, trial ${entry.trial}`],
    [`  run ${entry.runId}`, "dim"],
  ];
}

function factsLine(entry: LogEntry, body: RunBody | null): Line {
  const tokens =
    entry.usage === null
      ? "tokens unknown"
      : `${entry.usage.inputTokens} tokens in, ${entry.usage.outputTokens} out`;
  const facts = [
    formatDuration(entry.runtimeSeconds),
    ...(entry.waitSeconds > 0 ? [`${formatDuration(entry.waitSeconds)} waiting ${waitedFor(body)}`] : []),
    plural(entry.turns, "model call"),
    tokens,
    `cost ${formatCost(entry.costUsd)}`,
  ];
  return [[facts.join(" · "), "dim"]];
}

/** A call that was tried again waited before that, whatever had refused it; any other wait is for a limit. */
function waitedFor(body: RunBody | null): string {
  const isRetried = body?.transcript.some((step) => step.kind === "model_call" && step.retries > 0);
  return isRetried ? "to try calls again" : "for rate limits";
}

function section(title: string, lines: readonly Line[], note = ""): Line[] {
  if (lines.length === 0) return [];
  return [
    BLANK,
    [
      [title, "bold"],
      [note === "" ? "" : `  ${note}`, "dim"],
    ],
    ...lines,
  ];
}

function failureLines({ failure }: LogEntry, width: number): Line[] {
  if (failure === null) return [];
  const fault = failure.fault === "model" ? "the model's fault" : failure.fault;
  return section(`Failure: ${failure.cause}`, textBlock(failure.message, width), fault);
}

function attemptLines({ attempts }: LogEntry): Line[] {
  if (attempts.length < 2) return [];
  return section(
    "Attempts",
    attempts.map(
      ({ number, cause, message }): Line => [
        [`  ${number}. ${cause ?? "answered"}`],
        [message === null ? "" : `  ${message}`, "dim"],
      ],
    ),
  );
}

function roundLines(rounds: readonly LogEntry[]): Line[] {
  if (rounds.length < 2) return [];
  return section(
    "Rounds",
    rounds.map(
      (entry): Line => [[`  ${entry.round}. `], verdictMark(verdictOf(entry)), [` ${verdictOf(entry)}`]],
    ),
  );
}

function outputLines(title: string, output: CapturedOutput | undefined, width: number): Line[] {
  if (output === undefined || output.bytes === 0) return [];
  const dropped: Line[] =
    output.droppedBytes > 0 ? [[[`  … ${plural(output.droppedBytes, "byte")} not kept …`, "dim"]]] : [];
  const lines = [...textBlock(output.head, width), ...dropped, ...textBlock(output.tail, width)];
  return section(title, lines, plural(output.bytes, "byte"));
}
