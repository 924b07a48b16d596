import type { GridRow } from "../data/run-filter.ts";
import type { GridPage } from "../data/source.ts";

/** A row per problem; runs whose verdict has not arrived have none yet. */
export const gridRows = (
  problems: GridPage["problems"],
  verdicts: string,
  runsPerProblem: number,
): readonly GridRow[] =>
  problems.map((problem, place) => ({
    ...problem,
    place,
    verdicts: verdicts
      .slice(place * runsPerProblem, (place + 1) * runsPerProblem)
      .padEnd(runsPerProblem, "."),
  }));
