import { firstLine, preview } from "../../domain/format.ts";
import type { ModelKey } from "../../domain/model.ts";
import { entryModelKey, type LogEntry } from "../../domain/run/log-entry.ts";
import { isResultApart } from "../../engine/whole-entry.ts";
import { escapeText, type Line, lineWidth, type Span, type Style } from "../text/screen.ts";
import { cutToWidth, padEnd, shortenName, textWidth, wrapText } from "../text/width.ts";

/** A part of a run's id that is unique enough and can be typed. */
const SHORT_ID = 8;
const INDENT = " ".repeat(SHORT_ID + 4);

/** The first letters of a run's id, which `--run` takes. */
export const shortId = (runId: string): string => runId.slice(0, SHORT_ID);

const idSpan = (entry: LogEntry) => [`${shortId(entry.runId)}  `, "dim"] as const;

/** Shows a run in a list, with the id that `--run` takes; where a terminal would cut it, the reason comes below. */
export function listedRun(entry: LogEntry, layout: RunLineLayout): Line[] {
  const line: Line = [idSpan(entry), ...runLine(entry, layout)];
  const why = whyNotCorrect(entry);
  if (why === null || lineWidth(line) <= layout.columns) return [line];
  return [line, [[`${INDENT}${why}`, "dim"]]];
}

/** Shows a failed run; on a terminal the reason is wrapped and not cut. */
export function listedFailure(entry: LogEntry, layout: RunLineLayout): Line[] {
  const { failure } = entry;
  if (failure === null || !Number.isFinite(layout.columns)) return listedRun(entry, layout);
  const message = escapeText(firstLine(failure.message));
  const [first = "", ...more] = wrapText(
    `${failure.cause}: ${message}`,
    Math.max(20, layout.columns - INDENT.length),
  );
  return [
    [
      idSpan(entry),
      ...runHead(entry, layout.modelWidth, layout.columns - INDENT.length - layout.modelWidth - 2),
    ],
    [
      [`${INDENT}${first.slice(0, failure.cause.length + 1)}`, "yellow"],
      [first.slice(failure.cause.length + 1)],
    ],
    ...more.map((line): Line => [[`${INDENT}${line}`]]),
  ];
}

const LONGEST_PROBLEM = 60;
const SHORTEST_PROBLEM = 16;
const NARROWEST_MODEL = 20;
const LONGEST_ANSWER = 160;
const SHORTEST_ANSWER = 8;
const LONGEST_REASON = 160;

export interface RunLineLayout {
  readonly modelWidth: number;
  /** The width of the whole line, with the id before it. */
  readonly columns: number;
}

/** Measures columns that are the same for all runs of these models. */
export const runLineLayout = (models: readonly ModelKey[], columns: number): RunLineLayout => ({
  modelWidth: Math.min(
    Math.max(NARROWEST_MODEL, Math.floor(columns / 3)),
    Math.max(0, ...models.map((key) => textWidth(escapeText(key)))),
  ),
  columns,
});

/** Shows one run on one line: verdict, model, problem, and the answer or why there is none. */
export function runLine(entry: LogEntry, { modelWidth, columns }: RunLineLayout): Line {
  const half = Math.floor((columns - modelWidth) / 2);
  const head = runHead(entry, modelWidth, half);
  const numbers = numbersOf(entry).map(([name, value]) => `${name} ${Number(value.toFixed(3))}`);
  if (numbers.length === 0) return [...head, ...answer(entry, LONGEST_ANSWER)];
  const text = `  ${numbers.join(", ")}`;
  const room = Math.max(SHORTEST_ANSWER, columns - (SHORT_ID + 2) - lineWidth(head) - textWidth(text) - 2);
  return [...head, ...answer(entry, Math.min(LONGEST_ANSWER, room)), [text, "dim"]];
}

/** Shows the same without the answer. */
function runHead(entry: LogEntry, modelWidth: number, problemWidth: number): Line {
  const trial = entry.trial > 1 ? ` (trial ${entry.trial})` : "";
  const room = problemWidth - trial.length;
  const problem = cutToWidth(
    preview(entry.problem),
    Math.max(SHORTEST_PROBLEM, Math.min(LONGEST_PROBLEM, room)),
  );
  return [
    verdictMark(verdictWord(entry)),
    [` ${padEnd(shortenName(escapeText(entryModelKey(entry)), modelWidth), modelWidth)}  `],
    [`${problem}${trial}`, "dim"],
  ];
}

function answer(entry: LogEntry, longest: number): Line {
  if (entry.failure !== null) {
    return [
      [`  ${entry.failure.cause}: `, "yellow"],
      [cutToWidth(firstLine(entry.failure.message), longest)],
    ];
  }
  const given = isResultApart(entry) ? "(large result)" : preview(entry.result);
  const why = whyNotCorrect(entry);
  return [
    [`  ${cutToWidth(given, longest)}`],
    ...(why === null ? [] : ([[` (${why})`, "dim"]] satisfies Line)),
  ];
}

/** Returns the checker's reason why an answer is not correct; without a reason, the expected value. */
function whyNotCorrect({ correct, reason, expected, failure }: LogEntry): string | null {
  if (correct === true || failure !== null) return null;
  if (reason !== null) return cutToWidth(firstLine(reason), LONGEST_REASON);
  return correct === null || expected === null ? null : `expected ${cutToWidth(preview(expected), 60)}`;
}

/** Lists the numbers that the checker gave, by name. */
export const numbersOf = ({ score, metrics = {} }: LogEntry): [name: string, value: number][] => [
  ...(score === null ? [] : [["score", score] satisfies [string, number]]),
  ...Object.entries(metrics),
];

export type VerdictWord = "correct" | "wrong" | "failed" | "unscored";

/** Colour and symbol always go together, so that neither is needed to understand the other. */
export const MARKS = {
  correct: { symbol: "✓", style: "green" },
  wrong: { symbol: "✗", style: "red" },
  failed: { symbol: "!", style: "yellow" },
  unscored: { symbol: "?", style: "cyan" },
} as const satisfies Record<VerdictWord, { symbol: string; style: Style }>;

export function verdictWord(entry: Pick<LogEntry, "failure" | "correct">): VerdictWord {
  if (entry.failure !== null) return "failed";
  if (entry.correct === null) return "unscored";
  return entry.correct ? "correct" : "wrong";
}

export const verdictMark = (verdict: VerdictWord): Span => [MARKS[verdict].symbol, MARKS[verdict].style];
