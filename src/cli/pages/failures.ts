import { firstLine, plural } from "../../domain/format.ts";
import type { RunId } from "../../domain/ids.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { FailureCause, Fault } from "../../domain/run/failure.ts";
import { entryModelKey, type LogEntry } from "../../domain/run/log-entry.ts";
import { cutLine, escapeText, type Line, lineWidth } from "../text/screen.ts";
import { type Cell, layRows } from "../text/table.ts";
import { shortenName, wrapText } from "../text/width.ts";

/** More groups than this are not read; `show` has all of them. */
const MOST_SHOWN = 12;
const INDENT = "    ";
/** So many lines of one message. */
const MOST_LINES = 6;
const NARROWEST_MODEL = 12;

/** Lists causes per model: how often, whose fault, and below it one message; in a log all of it on one line. */
export function failureLines(groups: readonly FailureGroup[], width: number, most = MOST_SHOWN): Line[] {
  if (groups.length === 0) return [];
  const isLog = !Number.isFinite(width);
  const shown = groups.slice(0, most);
  const begins = layRows(shown.map(({ count, cause, fault }): Cell[] => beginning(count, cause, fault)));
  const room = width - Math.max(...begins.map(lineWidth)) - 2;
  const heads = layRows(
    shown.map(({ count, cause, fault, model, example }): Cell[] => [
      ...beginning(count, cause, fault),
      isLog ? model : shortenName(escapeText(model), Math.max(NARROWEST_MODEL, room)),
      ...(isLog ? [example] : []),
    ]),
  );
  const examples = shown.map((group, at) => (isLog ? [] : exampleLines(group, shown[at - 1], width)));
  const left = groups.length - shown.length;
  return [
    [["Failures", "bold"]],
    ...heads.flatMap((head, at) => [head, ...(examples[at] ?? [])]),
    ...(left > 0 ? [[[`… ${plural(left, "group")} more; show has all of them`, "dim"]] satisfies Line] : []),
  ];
}

const beginning = (count: number, cause: FailureCause, fault: Fault): Cell[] => [
  [["! ", "yellow"], [`${count} × ${cause}`]],
  [[fault === "stopped" ? fault : `blamed on ${fault}`, "dim"]],
];

/** What the user's own code failed with says what to do, mostly at its end; it is not said twice in a row. */
function exampleLines(
  { fault, example }: FailureGroup,
  before: FailureGroup | undefined,
  width: number,
): Line[] {
  if (fault !== "code") return [cutLine([[INDENT], [example]], width)];
  if (before?.example === example) return [];
  const lines = wrapText(escapeText(example), width - INDENT.length);
  const last = lines.slice(MOST_LINES - 1).join(" ");
  const shown = last === "" ? lines : [...lines.slice(0, MOST_LINES - 1), last];
  return shown.map((line) => cutLine([[INDENT], [line]], width));
}

interface FailureGroup {
  readonly cause: FailureCause;
  readonly fault: Fault;
  readonly model: ModelKey;
  readonly count: number;
  /** The first run of the group, as an example. */
  readonly runId: RunId;
  readonly example: string;
}

/** Counts failures by cause and model as entries pass by, so that memory does not grow with them. */
export class FailureGroups {
  readonly #groups = new Map<string, FailureGroup>();
  #firstWrong: RunId | null = null;

  add(entry: Pick<LogEntry, "failure" | "correct" | "runId" | "providerKey" | "model">): void {
    if (entry.failure === null) {
      if (entry.correct === false) this.#firstWrong ??= entry.runId;
      return;
    }
    const { cause, fault, message } = entry.failure;
    const model = entryModelKey(entry);
    const known = this.#groups.get(`${cause} ${model}`);
    const group = known ?? { cause, fault, model, count: 0, runId: entry.runId, example: firstLine(message) };
    this.#groups.set(`${cause} ${model}`, { ...group, count: group.count + 1 });
  }

  /** The most frequent first. */
  groups(): FailureGroup[] {
    return [...this.#groups.values()].sort(
      (a, b) => b.count - a.count || a.cause.localeCompare(b.cause) || a.model.localeCompare(b.model),
    );
  }

  /** Finds a run worth a look: the first failure of the largest group, or else the first wrong answer. */
  worthALook(): { runId: RunId; why: "failed" | "wrong" } | null {
    // A run that was stopped has nothing to tell.
    const largest = this.groups().find(({ fault }) => fault !== "stopped");
    if (largest !== undefined) return { runId: largest.runId, why: "failed" };
    return this.#firstWrong === null ? null : { runId: this.#firstWrong, why: "wrong" };
  }
}
