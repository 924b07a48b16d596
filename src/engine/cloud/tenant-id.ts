import type { TenantIsolation } from "../../domain/cloud-settings.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { PlanSize } from "../../domain/run-number.ts";

export interface TenantRun {
  readonly evaluationId: EvaluationId;
  readonly round: number;
  readonly run: number;
}

/** Whose warm environments a run may be given; models go by their place, because Lambda knows fewer letters than they do. */
export function tenantId(
  isolation: TenantIsolation,
  { models, trials }: Pick<PlanSize, "models" | "trials">,
  { evaluationId, round, run }: TenantRun,
): string | null {
  switch (isolation) {
    case "none":
      return null;
    case "per-run":
      return `${evaluationId}.run-${run}.${round}`;
    case "per-model":
      return `${evaluationId}.model-${Math.floor(run / trials) % models.length}`;
  }
}
