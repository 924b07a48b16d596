import { useQuery } from "@tanstack/react-query";
import type { Findings } from "./findings.ts";
import type { Grid } from "./run-filter.ts";
import type { EvaluationView } from "./source.ts";

/** The statistics of an evaluation; null until they are there. They are loaded, and computed, beside the first view. */
export function useFindings(
  { evaluation, progress }: EvaluationView,
  { rows, shape, isWhole, isFresh }: Grid,
): Findings | null {
  const { id, round, status } = evaluation;
  const { data } = useQuery({
    queryKey: ["findings", id, round, status, progress.finished],
    queryFn: async () => (await import("./findings.ts")).findFindings({ rows, shape }),
    enabled: isWhole && isFresh && rows.length > 0,
    placeholderData: (before) => before,
    gcTime: 10_000,
  });
  return data ?? null;
}
