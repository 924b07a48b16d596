import type { Comparison } from "../../domain/statistics/compare-models.ts";
import type { PairRow } from "./pair-rows.ts";

/** The statistics of two sides; loaded when a comparison is first shown. */
export async function compareSides(pairs: readonly PairRow[]): Promise<Comparison> {
  const [{ compareModels }, { countVerdicts }] = await Promise.all([
    import("../../domain/statistics/compare-models.ts"),
    import("./count-verdicts.ts"),
  ]);
  const side = (cellOf: (pair: PairRow) => string) =>
    new Map(pairs.map((pair) => [pair.id, countVerdicts(cellOf(pair))]));
  return compareModels(
    side(({ cellA }) => cellA),
    side(({ cellB }) => cellB),
  );
}
