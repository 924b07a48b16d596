import type { Model } from "./model.ts";

/** What is enough to say which run a number stands for, without a list of runs. */
export interface PlanSize {
  readonly models: readonly Model[];
  readonly problemCount: number;
  readonly trials: number;
}

export interface RunPlace {
  /** The problem's position among the evaluation's problems. */
  readonly problem: number;
  readonly model: Model;
  readonly trial: number;
}

export interface RunSpan {
  readonly from: number;
  /** The first number that is not part of it. */
  readonly to: number;
}

export const WHOLE_SPAN: RunSpan = { from: 0, to: Number.MAX_SAFE_INTEGER };

/** What one durable execution holds with three attempts per run, far below its hard limit of operations. */
const MAX_SHARD_RUNS = 500;

export const countPlanned = ({ models, problemCount, trials }: PlanSize): number =>
  models.length * problemCount * trials;

/** The run of a number, in the order of `planRuns`: problem by problem, model by model, trial by trial. */
export function placeOfRun(size: PlanSize, number: number): RunPlace | null {
  const { models, trials } = size;
  if (!Number.isInteger(number) || number < 0 || number >= countPlanned(size)) return null;
  const pair = Math.floor(number / trials);
  const model = models[pair % models.length];
  if (model === undefined) return null;
  return { problem: Math.floor(pair / models.length), model, trial: (number % trials) + 1 };
}

/** A shard never splits the trials of a pair, so more trials than a shard has runs make a larger shard. */
const shardRuns = (trials: number): number => Math.max(1, Math.floor(MAX_SHARD_RUNS / trials)) * trials;

export const countShards = (size: PlanSize): number => Math.ceil(countPlanned(size) / shardRuns(size.trials));

export function spanOfShard(size: PlanSize, shard: number): RunSpan {
  const runs = shardRuns(size.trials);
  const end = countPlanned(size);
  return { from: Math.min(shard * runs, end), to: Math.min((shard + 1) * runs, end) };
}
