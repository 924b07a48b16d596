import { cloudLimitTroubles } from "../../domain/cloud-limits.ts";
import { EvaluatorError } from "../../domain/evaluator-error.ts";
import { countShards } from "../../domain/run-number.ts";
import type { StartRequest } from "../contract.ts";
import type { EvaluationOptions } from "../definition.ts";
import { sha256 } from "../digest.ts";
import { type Definition, readDefinition } from "../read-definition.ts";
import { requestedOptions } from "../requested-options.ts";
import { MAX_SHARDS } from "./retry-rules.ts";
import { checkModels, type RunnerMeans } from "./runner-means.ts";

/** What a request asks of a definition, or the reasons why it cannot be run in the cloud. */
export async function planRequest(
  options: EvaluationOptions,
  request: StartRequest,
  runner: RunnerMeans,
): Promise<Definition> {
  const choice = request.problemIds === undefined ? {} : { problemIds: request.problemIds };
  const definition = await readDefinition(requestedOptions(options, request), sha256, choice);
  const shards = countShards({ ...definition, problemCount: definition.problems.length });
  const troubles = [
    ...cloudLimitTroubles(definition.limits, runner),
    ...(shards > MAX_SHARDS ? [`it has ${shards} shards of runs, and an execution holds ${MAX_SHARDS}`] : []),
  ];
  checkModels(definition, runner);
  if (troubles.length === 0) return definition;
  throw new EvaluatorError(
    "evaluation.too_large",
    `${definition.name} cannot run here: ${troubles.join("; ")}`,
  );
}
