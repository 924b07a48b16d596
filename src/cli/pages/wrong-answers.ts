import { firstLine, plural, preview } from "../../domain/format.ts";
import { entryModelKey, type LogEntry } from "../../domain/run/log-entry.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { isResultApart } from "../../engine/whole-entry.ts";
import { escapeText, type Line, lineWidth, wrapLine } from "../text/screen.ts";
import { shortenName, wrapText } from "../text/width.ts";
import { shortId, verdictMark } from "./runs.ts";

/** More than this are not read at the end of a run; `show --wrong` has all of them. */
const MOST_SHOWN = 10;
const LONGEST_TEXT = 300;
const INDENT = "    ";

/** Lists the first wrong answers with their problem and the expected value. */
export function wrongAnswerLines(wrong: WrongAnswers, width: number): Line[] {
  const shown = wrong.first();
  if (shown.length === 0) return [];
  const left = wrong.count - shown.length;
  return [
    [["Wrong answers", "bold"]],
    ...shown.flatMap((answer) => wrongAnswer(answer, width)),
    ...(left > 0 ? [[[`… ${left} more; show --wrong has all of them`, "dim"]] satisfies Line] : []),
  ];
}

/** Shows a wrong answer on one line where it fits, else with a line for each part; nothing is cut that is worth reading. */
export function wrongAnswer(answer: WrongAnswer, width: number): Line[] {
  const { id, model, problem, parts } = answer;
  const head: Line = [verdictMark("wrong"), [` ${id}  `, "dim"]];
  const line: Line = [...head, [`${model}  `], [problem], ["  "], [parts.join(", ")]];
  if (lineWidth(line) <= width) return [line];
  const room = Math.max(20, width - INDENT.length);
  const name = shortenName(escapeText(model), Math.max(12, Math.floor(width / 2)));
  const named: Line = [...head, [`${name}  `], [problem]];
  const isBelow = lineWidth(named) > width;
  return [
    isBelow ? named.slice(0, -1) : named,
    ...[...(isBelow ? [problem] : []), ...parts].flatMap((part) =>
      wrapText(escapeText(part), room).map((piece): Line => [[`${INDENT}${piece}`]]),
    ),
  ];
}

interface WrongAnswer {
  readonly index: number;
  readonly id: string;
  readonly model: string;
  readonly problem: string;
  /** What was expected, what was answered, and why that is wrong, as far as it is known. */
  readonly parts: readonly string[];
}

export function toWrongAnswer(entry: LogEntry): WrongAnswer {
  const { index, expected, reason, trial } = entry;
  const answered = isResultApart(entry) ? "(large result)" : preview(entry.result, LONGEST_TEXT);
  return {
    index,
    id: shortId(entry.runId),
    model: entryModelKey(entry),
    problem: `${preview(entry.problem, LONGEST_TEXT)}${trial > 1 ? ` (trial ${trial})` : ""}`,
    parts: [
      ...(expected === null ? [] : [`expected ${preview(expected, LONGEST_TEXT)}`]),
      `answered ${answered}`,
      ...(reason === null ? [] : [`because: ${firstLine(reason, LONGEST_TEXT)}`]),
    ],
  };
}

/** Keeps the first wrong answers in plan order as entries pass by, and counts the others. */
export class WrongAnswers {
  #first: WrongAnswer[] = [];
  #count = 0;
  #expected = 0;

  add(entry: LogEntry): void {
    if (entry.failure !== null || entry.correct !== false) return;
    this.#count++;
    if (entry.expected !== null) this.#expected++;
    const isLate = this.#first.length === MOST_SHOWN && entry.index > (this.#first.at(-1)?.index ?? 0);
    if (isLate) return;
    this.#first.push(toWrongAnswer(entry));
    this.#first.sort((a, b) => a.index - b.index).splice(MOST_SHOWN);
  }

  get count(): number {
    return this.#count;
  }

  first(): readonly WrongAnswer[] {
    return this.#first;
  }

  /** Asks about the expected values where there are none and no answer is correct. */
  doubtLines(stats: readonly ModelStats[], width: number): Line[] {
    const hasCorrect = stats.some(({ correct }) => correct > 0);
    if (this.#count < 2 || this.#expected > 0 || hasCorrect) return [];
    const text = `All ${plural(this.#count, "answer")} are wrong, and no problem has an expected value. Does the checker compare with one? Give it with the problem: [problem, expected].`;
    return wrapLine(text, width, "yellow");
  }
}
