import { useQuery } from "@tanstack/react-query";
import { plural } from "../../domain/show/format-count.ts";
import { formatShare } from "../../domain/show/format-share.ts";
import type { Comparison } from "../../domain/statistics/compare-models.ts";
import { compareSides } from "../data/compare-sides.ts";
import type { PairRow } from "../data/pair-rows.ts";
import { plainText } from "../data/plain-text.ts";

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
