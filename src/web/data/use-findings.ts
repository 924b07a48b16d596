import { useQuery } from "@tanstack/react-query";
import type { Findings } from "./findings.ts";
import type { Grid } from "./run-filter.ts";
import type { EvaluationView } from "./source.ts";

/** The statistics of an evaluation; null until they are there. They are loaded, and computed, beside the first view. */
export function useFindings(
  { evaluation, progress }: EvaluationView,
  { rows, shape, isWhole }: Grid,
): Findings | null {
  const { data } = useQuery({
    queryKey: ["findings", evaluation.id, evaluation.round, progress.finished, rows.length],
    queryFn: async () => (await import("./findings.ts")).findFindings({ rows, shape }),
    enabled: isWhole && rows.length > 0,
    placeholderData: (before) => before,
  });
  return data ?? null;
}
