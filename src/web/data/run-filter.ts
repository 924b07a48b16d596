import { readVerdict } from "./models.ts";

/** Which runs are shown; it lives in the address, so that a link shows the same. */
export interface RunFilter {
  readonly model?: string;
  readonly outcome?: "right" | "wrong" | "failed" | "open" | "differs" | "flaky";
  readonly cause?: string;
  readonly tag?: string;
  readonly text?: string;
}

const OUTCOMES = ["right", "wrong", "failed", "open", "differs", "flaky"] as const;

export function readRunFilter(search: Record<string, unknown>): RunFilter {
  const word = (name: string) => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? { [name]: value } : {};
  };
  const outcome = OUTCOMES.find((known) => known === search.outcome);
  return {
    ...word("model"),
    ...(outcome === undefined ? {} : { outcome }),
    ...word("cause"),
    ...word("tag"),
    ...word("text"),
  };
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

export interface Grid {
  readonly rows: readonly GridRow[];
  readonly shape: GridShape;
  readonly isWhole: boolean;
  /** False while what is shown is from before, and newer verdicts are on their way. */
  readonly isFresh: boolean;
}

/** The verdicts of one pair. */
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

export const countRight = (cell: string): number =>
  [...cell].filter((letter) => readVerdict(letter).outcome === "right").length;
