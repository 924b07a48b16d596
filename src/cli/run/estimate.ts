import { relative } from "node:path";
import { runnerMemoryMb } from "../../domain/cloud/limits.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { type ModelKey, modelKey } from "../../domain/model.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { type Estimate, estimateEvaluation } from "../../domain/stats/estimate.ts";
import type { EvaluationOptions } from "../../engine/definition/definition.ts";
import { type Definition, readDefinition } from "../../engine/definition/read-definition.ts";
import { sha256 } from "../../engine/system.ts";
import { loadDefinition } from "../../local/load-definition.ts";
import { runEvaluation } from "../../local/run-evaluation.ts";
import type { Store } from "../../store/store.ts";
import { choiceOf, type DefinitionFlags, mergeOptions } from "../run/flags.ts";

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
  readonly flags: DefinitionFlags;
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

const LATEST_EVALUATIONS = 10;
/** Further ones would change little. */
const ENOUGH_RUNS = 200;

/** The latest runs of a model in evaluations of this name; those that were stopped say nothing. */
export async function findHistory(store: Store, name: string, model: ModelKey): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  for (const { id } of await store.listEvaluations({ name, limit: LATEST_EVALUATIONS })) {
    for await (const entry of store.entries(id, { model })) {
      if (entry.failure?.fault !== "stopped") found.push(entry);
      if (found.length === ENOUGH_RUNS) return found;
    }
  }
  return found;
}
