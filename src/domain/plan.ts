import { type Digest, RunId } from "./ids.ts";
import { type Model, modelKey } from "./model.ts";
import type { Problem } from "./problem.ts";

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
