import { useMemo } from "react";
import { readVerdict } from "./read-verdict.ts";
import { filterRows, type GridRow, type GridShape, type RunFilter } from "./run-filter.ts";
import type { EvaluationView } from "./source.ts";
import { useGrid } from "./use-grid.ts";

export interface Neighbours {
  readonly previous: number | null;
  readonly next: number | null;
}

/** The runs before and after one, among those that the filter shows. */
export function useNeighbours(view: EvaluationView, number: number, filter: RunFilter): Neighbours {
  const { rows, shape } = useGrid(view);
  return useMemo(() => {
    const numbers = filterRows(rows, shape, filter).flatMap((row) => runNumbers(row, shape, filter));
    const after = numbers.findIndex((other) => other > number);
    const before = numbers.findLast((other) => other < number);
    return { previous: before ?? null, next: numbers[after] ?? null };
  }, [rows, shape, filter, number]);
}

function runNumbers(
  { place, verdicts }: GridRow,
  { models, trials }: GridShape,
  filter: RunFilter,
): number[] {
  return [...verdicts].flatMap((letter, index) => {
    const { outcome, cause } = readVerdict(letter);
    const isWanted =
      (filter.model === undefined || models[Math.floor(index / trials)] === filter.model) &&
      (filter.cause === undefined || cause === filter.cause) &&
      (filter.outcome === undefined ||
        filter.outcome === "differs" ||
        filter.outcome === "flaky" ||
        outcome === filter.outcome);
    return isWanted ? [place * verdicts.length + index] : [];
  });
}
