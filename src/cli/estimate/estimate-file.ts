import { relative } from "node:path";
import { runnerMemoryMb } from "../../domain/cloud-limits.ts";
import { type Estimate, estimateEvaluation } from "../../domain/estimate.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { LogEntry } from "../../domain/log-entry.ts";
import { type ModelKey, modelKey } from "../../domain/model.ts";
import type { EvaluationOptions } from "../../engine/definition.ts";
import { sha256 } from "../../engine/digest.ts";
import { type Definition, readDefinition } from "../../engine/read-definition.ts";
import { loadDefinition } from "../../load-definition.ts";
import { runEvaluation } from "../../run-evaluation.ts";
import type { Store } from "../../store/contract.ts";
import { choiceOf, mergeOptions } from "../run/merge-options.ts";
import type { RunFlags } from "../run/run-flags.ts";
import { findHistory } from "./find-history.ts";

export interface FileEstimate {
  readonly name: string;
  readonly models: ReadonlyMap<ModelKey, Estimate>;
  readonly total: Estimate;
  /** How many runs it is made of. */
  readonly seen: number;
  /** The evaluation that ran to learn more; null when the store knew enough. */
  readonly pilot: EvaluationId | null;
}

export interface EstimateRequest {
  readonly path: string;
  readonly cwd: string;
  readonly flags: RunFlags;
  readonly store: Store;
  readonly signal: AbortSignal;
}

/** What a run of this file will take, from earlier runs, and from one problem for each model that has none. */
export async function estimateFile(request: EstimateRequest): Promise<FileEstimate> {
  const { flags, store, path } = request;
  const { options: own, bundle } = await loadDefinition(path);
  const options = mergeOptions(own, flags);
  const definition = await readDefinition(options, sha256, choiceOf(flags, null));
  const known = await Promise.all(
    definition.models.map((model) => findHistory(store, definition.name, modelKey(model))),
  );
  const unseen = definition.models.filter((_, at) => known[at]?.length === 0);
  const first = definition.problems[0];
  const pilot =
    unseen.length === 0 || first === undefined
      ? null
      : await runEvaluation({
          options: pilotOf(options, unseen),
          bundle,
          file: relative(request.cwd, path),
          store,
          choice: { problemIds: [first.id] },
          signal: request.signal,
        });
  const tried = pilot === null ? [] : await Array.fromAsync(store.entries(pilot.record.id));
  return { ...estimate(definition, [...known.flat(), ...tried]), pilot: pilot?.record.id ?? null };
}

const pilotOf = (options: EvaluationOptions, models: Definition["models"]): EvaluationOptions => ({
  ...options,
  models: models.map(({ providerKey, model }) => [providerKey, model]),
  trials: 1,
});

function estimate(definition: Definition, seen: readonly LogEntry[]): Omit<FileEstimate, "pilot"> {
  const { name, models, problems, trials, concurrency, limits } = definition;
  return {
    name,
    seen: seen.length,
    ...estimateEvaluation({
      models: models.map(modelKey),
      runsPerModel: problems.length * trials,
      concurrency,
      memoryMb: runnerMemoryMb([limits]),
      seen,
    }),
  };
}
