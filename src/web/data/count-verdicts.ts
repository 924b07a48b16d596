import { ENDINGS, endingOf, type ProblemCounts } from "../../domain/statistics/problem-counts.ts";

/** What became of the runs of one pair. */
export function countVerdicts(cell: string): ProblemCounts {
  const counts = Object.fromEntries(ENDINGS.map((ending) => [ending, 0])) as Record<
    keyof ProblemCounts,
    number
  >;
  for (const letter of cell) {
    const ending = endingOf(letter);
    if (ending !== null) counts[ending]++;
  }
  return counts;
}
