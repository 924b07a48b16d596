import { type Digest, RunId } from "./ids.ts";
import { type Model, modelKey } from "./model.ts";
import type { Problem } from "./problem.ts";

/** A stored plan with more models, problems or trials: what is there keeps its place, and what is new comes after it. */
export function grownPlan(
  stored: Omit<Plan, "problems">,
  problems: readonly Problem[],
  wanted: Omit<Plan, "name">,
): Plan {
  const knownModels = new Set(stored.models.map(modelKey));
  const knownProblems = new Set(problems.map(({ id }) => id));
  return {
    name: stored.name,
    models: [...stored.models, ...wanted.models.filter((model) => !knownModels.has(modelKey(model)))],
    problems: [...problems, ...wanted.problems.filter(({ id }) => !knownProblems.has(id))],
    trials: Math.max(stored.trials, wanted.trials),
  };
}

/**
 * The number of the same run in another plan, when one of the two grew out of the other, so that both have their
 * common models and problems at the same positions; null where it is not planned.
 */
export function renumberRun(number: number, from: PlanSize, to: PlanSize): number | null {
  const place = placeOfRun(from, number);
  if (place === null) return null;
  const { problem, trial } = place;
  const model = from.models.indexOf(place.model);
  const isPlanned = problem < to.problemCount && model < to.models.length && trial <= to.trials;
  return isPlanned ? (problem * to.models.length + model) * to.trials + trial - 1 : null;
}

/** One (model, problem, trial): the unit that is isolated, checked and logged. */
export interface Run {
  readonly index: number;
  readonly runId: RunId;
  readonly model: Model;
  readonly problem: Problem;
  readonly trial: number;
}

export interface Plan {
  readonly name: string;
  readonly models: readonly Model[];
  readonly problems: readonly Problem[];
  readonly trials: number;
}

export const countRuns = (plan: Plan): number => plan.models.length * plan.problems.length * plan.trials;

/** Fixed order, problem by problem, so that a plan cut short has seen the same problems with every model. */
export function* planRuns(plan: Plan, digest: Digest): Generator<Run> {
  let index = 0;
  for (const problem of plan.problems) {
    for (const model of plan.models) {
      for (let trial = 1; trial <= plan.trials; trial++) {
        yield {
          index: index++,
          runId: runIdOf(plan.name, model, problem, trial, digest),
          model,
          problem,
          trial,
        };
      }
    }
  }
}

export const runIdOf = (
  name: string,
  model: Model,
  problem: Pick<Problem, "id">,
  trial: number,
  digest: Digest,
): RunId => RunId.parse(digest(JSON.stringify([name, modelKey(model), problem.id, trial])).slice(0, 20));

/** Sizes from which a run's number says which run it is, without a list of runs. */
export interface PlanSize {
  readonly models: readonly Model[];
  readonly problemCount: number;
  readonly trials: number;
}

interface RunPlace {
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
