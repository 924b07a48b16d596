import { formatCost, formatCount, formatDuration } from "../../domain/format.ts";
import type { ModelKey } from "../../domain/model.ts";
import { entryModelKey, type LogEntry } from "../../domain/run/log-entry.ts";
import { addEntry, emptyTally, type ModelStats, type Tally, toModelStats } from "../../domain/stats/stats.ts";
import type { EvaluationListener } from "../../engine/engine.ts";
import { MARKS, type VerdictWord } from "../pages/runs.ts";
import { escapeText, type Line, lineWidth, padLine, type Span } from "../text/screen.ts";
import { padEnd, padStart, shortenName, textWidth } from "../text/width.ts";

/** Draws one line for the whole, then a bar per model, within the given size. */
export function progressFrame(view: ProgressView, size: { columns: number; rows: number }): Line[] {
  const room = Math.max(1, size.rows - 3);
  const shown = view.models.length <= room ? view.models : view.models.slice(0, Math.max(1, room - 1));
  const hidden = view.models.length - shown.length;
  const more: Line[] = hidden > 0 ? [[[`… and ${hidden} more models`, "dim"]]] : [];
  return [headLine(view), ...barLines(shown, size.columns), ...more];
}

export function headLine(view: ProgressView): Line {
  const left = !view.secondsLeft ? "" : `, about ${wholeSeconds(Math.ceil(view.secondsLeft))} left`;
  const running = view.running > 0 ? `, ${view.running} running` : "";
  return [
    [view.name, "bold"],
    [`  ${view.done} of ${view.total} runs${running}`],
    ...view.limits.map(([key, calls]): Span => [`, ${escapeText(key)} limited to ${calls}`, "yellow"]),
    [`  ${wholeSeconds(Math.floor(view.elapsedSeconds))}${left}`, "dim"],
  ];
}

/** A picture that is drawn ten times a second has no use for milliseconds. */
const wholeSeconds = (seconds: number): string => (seconds < 10 ? `${seconds}s` : formatDuration(seconds));

/** Gives up detail for room, the least needed first: tokens, then cost, then the bar; names shrink last. */
function barLines(models: ProgressView["models"], columns: number): Line[] {
  const rows = models.map(([key, stats]) => cellsOf(key, stats));
  for (const layout of LAYOUTS) {
    const lines = layOut(rows, layout, columns);
    if (lines !== null) return lines;
  }
  return rows.map((row) => [[shortenName(row.name, 12)], ["  "], ...row.done, ["  "], ...row.counts]);
}

const LAYOUTS = [
  { name: 48, cells: ["done", "counts", "tokens", "cost"], bar: 12 },
  { name: 28, cells: ["done", "counts", "tokens", "cost"], bar: 8 },
  { name: 20, cells: ["done", "counts", "tokens", "cost"], bar: 8 },
  { name: 28, cells: ["done", "counts", "cost"], bar: 8 },
  { name: 24, cells: ["done", "counts"], bar: 6 },
  { name: 24, cells: ["done", "counts"], bar: 0 },
  { name: 12, cells: ["done", "counts"], bar: 0 },
] as const;

const LONGEST_BAR = 32;

function layOut(rows: readonly Cells[], layout: (typeof LAYOUTS)[number], columns: number): Line[] | null {
  const nameWidth = Math.min(layout.name, Math.max(...rows.map((row) => textWidth(row.name))));
  const widths = layout.cells.map((cell) => Math.max(...rows.map((row) => lineWidth(row[cell]))));
  const fixed = nameWidth + widths.reduce((sum, width) => sum + width + 2, 0);
  const barWidth = layout.bar === 0 ? 0 : Math.min(LONGEST_BAR, columns - fixed - 2);
  if (barWidth < layout.bar || fixed > columns) return null;
  return rows.map((row) => [
    [padEnd(shortenName(row.name, nameWidth), nameWidth)],
    ...(barWidth > 0 ? [["  "] as const, ...bar(row.stats, barWidth)] : []),
    ...layout.cells.flatMap((cell, at): Line => [["  "], ...padLine(row[cell], widths[at] ?? 0)]),
  ]);
}

type Cells = ReturnType<typeof cellsOf>;

const cellsOf = (key: ModelKey, stats: ModelStats) => ({
  stats,
  name: escapeText(key),
  done: [
    [`${padStart(String(stats.finished), String(stats.planned).length)}/${stats.planned}`],
  ] satisfies Line,
  counts: countSpans(stats),
  tokens: [[`${formatCount(stats.inputTokens + stats.outputTokens)} tok`]] satisfies Line,
  cost: costSpans(stats),
});

const VERDICTS = ["correct", "wrong", "failed", "unscored"] as const satisfies readonly VerdictWord[];

/** `✓ 14  ✗ 3  ! 1`, and `? 2` when a checker could not say. */
function countSpans(stats: ModelStats): Line {
  const width = String(stats.planned).length;
  const shown = VERDICTS.filter((verdict) => verdict !== "unscored" || stats.unscored > 0);
  return shown.flatMap((verdict, at): Line => {
    const { symbol, style } = MARKS[verdict];
    const span: Span = [
      `${symbol} ${padEnd(String(stats[verdict]), width)}`,
      stats[verdict] > 0 ? style : "dim",
    ];
    return at === 0 ? [span] : [[" "], span];
  });
}

function costSpans(stats: ModelStats): Line {
  if (stats.finished === 0) return [[""]];
  if (stats.costUsd === null) return [["cost unknown", "dim"]];
  return [[formatCost(stats.costUsd, stats.runsWithUnknownCost)]];
}

/** Every verdict has its share of the bar; shares are cut at whole columns so that they always add up. */
function bar(stats: ModelStats, width: number): Line {
  const planned = Math.max(1, stats.planned, stats.finished);
  const spans: Span[] = [];
  let count = 0;
  let drawn = 0;
  for (const verdict of VERDICTS) {
    count += stats[verdict];
    const upTo = Math.floor((count / planned) * width);
    spans.push(["━".repeat(upTo - drawn), MARKS[verdict].style]);
    drawn = upTo;
  }
  return [...spans, ["─".repeat(width - drawn), "dim"]];
}

interface ProgressStart {
  readonly name: string;
  readonly models: readonly ModelKey[];
  readonly total: number;
  /** Runs that an earlier execution finished; they say nothing about today's speed. */
  readonly alreadyDone: number;
  readonly nowMs: number;
}

type ProgressView = ReturnType<ProgressTracker["view"]>;

/** Counts runs as they start and end; `view` is all that a drawing needs. */
export class ProgressTracker {
  readonly #start: ProgressStart;
  readonly #tallies: Map<ModelKey, Tally>;
  readonly #limits = new Map<string, number>();
  #started = 0;
  #done = 0;

  constructor(start: ProgressStart) {
    this.#start = start;
    this.#tallies = new Map(start.models.map((key) => [key, emptyTally()]));
  }

  get done(): number {
    return this.#done;
  }

  runStarted(): void {
    this.#started++;
  }

  limited(providerKey: string, calls: number | null): void {
    if (calls === null) this.#limits.delete(providerKey);
    else this.#limits.set(providerKey, calls);
  }

  add(entry: LogEntry): void {
    const tally = this.#tallies.get(entryModelKey(entry));
    if (tally === undefined) return;
    addEntry(tally, entry);
    // The live picture has no quantiles, and sorting all runtimes ten times a second would cost.
    tally.runtimes.clear();
    this.#done++;
  }

  view(nowMs: number) {
    const { name, models, total, alreadyDone } = this.#start;
    const planned = models.length === 0 ? 0 : total / models.length;
    const doneNow = Math.max(0, this.#done - alreadyDone);
    const elapsedSeconds = Math.max(0, nowMs - this.#start.nowMs) / 1_000;
    return {
      name,
      models: [...this.#tallies].map(([key, tally]) => [key, toModelStats(tally, planned)] as const),
      done: this.#done,
      total,
      running: Math.max(0, this.#started - doneNow),
      /** Providers that take fewer calls at a time than there are. */
      limits: [...this.#limits],
      elapsedSeconds,
      /** null until there is something to guess from. */
      secondsLeft: doneNow === 0 ? null : (elapsedSeconds / doneNow) * Math.max(0, total - this.#done),
    };
  }
}

/** Shows the user how an evaluation proceeds. */
export interface Reporter {
  readonly listener: EvaluationListener;
  /** A line that stays, whatever is being drawn. */
  note(line: Line): void;
  /** Ends the drawing; what follows is printed below. */
  stop(): void;
}

/** Makes one listener of two: the first hears of starts and entries before the second, which hears everything. */
export const listenBefore = (
  first: Pick<EvaluationListener, "started" | "entry">,
  second: EvaluationListener,
): EvaluationListener => ({
  ...second,
  started(info) {
    first.started?.(info);
    second.started?.(info);
  },
  entry(entry) {
    first.entry?.(entry);
    second.entry?.(entry);
  },
});

export const warningLine = (message: string): Line => [["warning: ", "yellow"], [message]];
