import { useQuery } from "@tanstack/react-query";
import { formatShare, plural } from "../../domain/format.ts";
import type { Comparison } from "../../statistics/compare.ts";
import { plainText } from "../data/plain-text.ts";
import type { PairRow } from "./pair-rows.ts";

interface PairVerdictProps {
  readonly pairs: readonly PairRow[];
  readonly nameA: string;
  readonly nameB: string;
}

/** Whether the difference of two sides is more than noise, in one sentence. */
export function PairVerdict({ pairs, nameA, nameB }: PairVerdictProps) {
  const { data } = useQuery({
    queryKey: ["comparison", pairs.map(({ id, cellA, cellB }) => [id, cellA, cellB])],
    queryFn: () => compareSides(pairs),
    placeholderData: (before) => before,
  });
  if (data === undefined) return null;
  return (
    <p className="card" role="status">
      {plainText(sentence(data, nameA, nameB))}
    </p>
  );
}

function sentence(comparison: Comparison, nameA: string, nameB: string): string {
  const { difference, interval, pairedProblems, pValue, verdict, problemsNeeded } = comparison;
  if (difference === null || interval === null)
    return "They have no problem in common that both have answered.";
  const by = `by ${formatShare(Math.abs(difference))} (95% interval of the difference: ${points(interval.low)} to ${points(interval.high)} points; p = ${pValue.toPrecision(2)}; ${plural(pairedProblems, "problem")})`;
  if (verdict === "better") return `A (${nameA}) is better than B (${nameB}) ${by}.`;
  if (verdict === "worse") return `A (${nameA}) is worse than B (${nameB}) ${by}.`;
  const more = problemsNeeded === null ? "" : ` About ${problemsNeeded} problems would be needed to tell.`;
  return `Not distinguishable: A and B differ ${by}.${more}`;
}

const points = (share: number): string => (share * 100).toFixed(1);

/** The statistics of two sides; loaded when a comparison is first shown. */
async function compareSides(pairs: readonly PairRow[]): Promise<Comparison> {
  const [{ compareModels }, { countVerdicts }] = await Promise.all([
    import("../../statistics/compare.ts"),
    import("../data/findings.ts"),
  ]);
  const side = (cellOf: (pair: PairRow) => string) =>
    new Map(pairs.map((pair) => [pair.id, countVerdicts(cellOf(pair))]));
  return compareModels(
    side(({ cellA }) => cellA),
    side(({ cellB }) => cellB),
  );
}
