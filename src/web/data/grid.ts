import { readVerdict } from "./display.ts";
import type { ProblemRows } from "./source.ts";

const OUTCOMES = ["right", "wrong", "failed", "open", "differs", "flaky"] as const;

/** Selects the runs that are shown; it is kept in the address, so that a link shows the same. */
export type RunFilter = SearchTexts<"model" | "cause" | "tag" | "text"> & {
  readonly outcome?: (typeof OUTCOMES)[number];
};

export function readRunFilter(search: Record<string, unknown>): RunFilter {
  const outcome = OUTCOMES.find((known) => known === search.outcome);
  const texts = readSearch(search, ["model", "cause", "tag", "text"]);
  return outcome === undefined ? texts : { ...texts, outcome };
}

type SearchTexts<Name extends string> = { readonly [Key in Name]?: string };

/** Reads texts from the address; empty ones and anything else are left out. */
export function readSearch<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): SearchTexts<Name> {
  const texts: { [Key in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === "string" && value !== "") texts[name] = value;
  }
  return texts;
}

export interface GridRow {
  readonly id: string;
  readonly tags: readonly string[];
  readonly text: string;
  /** Position among the evaluation's problems. */
  readonly place: number;
  /** One character per run: model by model, trial by trial. */
  readonly verdicts: string;
}

export interface GridShape {
  readonly models: readonly string[];
  readonly trials: number;
}

/** The verdicts of an evaluation, as far as they have arrived. */
export interface VerdictGrid {
  readonly rows: readonly GridRow[];
  readonly shape: GridShape;
  readonly isWhole: boolean;
  /** False while older verdicts are shown and newer ones are being loaded. */
  readonly isFresh: boolean;
}

/** Makes a row per problem; runs whose verdict has not arrived are shown as not run. */
export const gridRows = (
  problems: ProblemRows["problems"],
  rows: readonly string[],
  runsPerProblem: number,
): readonly GridRow[] =>
  problems.map((problem, place) => ({
    ...problem,
    place,
    verdicts: (rows[place] ?? "").padEnd(runsPerProblem, "."),
  }));

/** Cuts out the verdicts of one model on one problem. */
export const cellOf = ({ verdicts }: GridRow, { trials }: GridShape, model: number): string =>
  verdicts.slice(model * trials, (model + 1) * trials);

export function filterRows(
  rows: readonly GridRow[],
  shape: GridShape,
  filter: RunFilter,
): readonly GridRow[] {
  const words = filter.text?.toLowerCase();
  return rows.filter(
    (row) =>
      (words === undefined ||
        row.id.toLowerCase().includes(words) ||
        row.text.toLowerCase().includes(words)) &&
      (filter.tag === undefined || row.tags.includes(filter.tag)) &&
      hasOutcome(row, shape, filter),
  );
}

function hasOutcome(row: GridRow, shape: GridShape, { model, outcome, cause }: RunFilter): boolean {
  const chosen = model === undefined ? -1 : shape.models.indexOf(model);
  const letters = chosen === -1 ? row.verdicts : cellOf(row, shape, chosen);
  if (cause !== undefined && ![...letters].some((letter) => readVerdict(letter).cause === cause))
    return false;
  if (outcome === undefined) return true;
  if (outcome === "differs") return modelsDiffer(row, shape);
  if (outcome === "flaky") return shape.models.some((_, index) => isFlaky(cellOf(row, shape, index)));
  return [...letters].some((letter) => readVerdict(letter).outcome === outcome);
}

/** Neither always right nor always not. */
const isFlaky = (cell: string): boolean =>
  [...cell].some((letter) => readVerdict(letter).outcome === "right") &&
  [...cell].some((letter) => readVerdict(letter).outcome === "wrong");

function modelsDiffer(row: GridRow, shape: GridShape): boolean {
  const counts = shape.models.map((_, index) => countRight(cellOf(row, shape, index)));
  return new Set(counts).size > 1;
}

const countRight = (cell: string): number =>
  [...cell].filter((letter) => readVerdict(letter).outcome === "right").length;

export interface PairRow {
  readonly id: string;
  readonly text: string;
  readonly cellA: string;
  readonly cellB: string;
  /** The first run of each side. */
  readonly numberA: number;
  readonly numberB: number;
  /** By how much A is better: the difference of the shares of right answers. */
  readonly lead: number;
}

type PairedGrid = Pick<VerdictGrid, "rows" | "shape"> & { readonly model: string };

/** Pairs the problems that both sides have, those on which they differ most first. */
export function pairRows(a: PairedGrid, b: PairedGrid): readonly PairRow[] {
  const inB = new Map(b.rows.map((row) => [row.id, row]));
  const modelA = a.shape.models.indexOf(a.model);
  const modelB = b.shape.models.indexOf(b.model);
  if (modelA === -1 || modelB === -1) return [];
  const pairs = a.rows.flatMap((rowA) => {
    const rowB = inB.get(rowA.id);
    if (rowB === undefined) return [];
    const cellA = cellOf(rowA, a.shape, modelA);
    const cellB = cellOf(rowB, b.shape, modelB);
    const { id, text } = rowA;
    const numberA = firstRun(rowA, a.shape, modelA);
    const numberB = firstRun(rowB, b.shape, modelB);
    return [{ id, text, cellA, cellB, numberA, numberB, lead: shareRight(cellA) - shareRight(cellB) }];
  });
  return pairs.sort((x, y) => Math.abs(y.lead) - Math.abs(x.lead));
}

const firstRun = ({ place }: GridRow, { models, trials }: GridShape, model: number): number =>
  (place * models.length + model) * trials;

const shareRight = (cell: string): number => (cell.length === 0 ? 0 : countRight(cell) / cell.length);
