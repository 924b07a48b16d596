import { cloudLimitTroubles } from "../../domain/cloud-limits.ts";
import { EvaluatorError } from "../../domain/evaluator-error.ts";
import { countShards } from "../../domain/run-number.ts";
import type { Definition } from "../read-definition.ts";
import { MAX_SHARDS } from "./retry-rules.ts";
import { checkModels, type RunnerMeans } from "./runner-means.ts";

/** Refuses what cannot be run in the cloud, with all the reasons. */
export function checkFits(plan: Definition, runner: RunnerMeans): void {
  const shards = countShards({ ...plan, problemCount: plan.problems.length });
  const troubles = [
    ...cloudLimitTroubles(plan.limits, runner),
    ...(shards > MAX_SHARDS ? [`it has ${shards} shards of runs, and an execution holds ${MAX_SHARDS}`] : []),
  ];
  checkModels(plan, runner);
  if (troubles.length === 0) return;
  throw new EvaluatorError("evaluation.too_large", `${plan.name} cannot run here: ${troubles.join("; ")}`);
}
