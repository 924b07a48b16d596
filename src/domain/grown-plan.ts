import { modelKey } from "./model.ts";
import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import type { PlanSize } from "./run-number.ts";

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

/** The number of the same run in another plan, when one of the two grew out of the other; null where it is not planned. */
export function renumberRun(number: number, from: PlanSize, to: PlanSize): number | null {
  const place = placeOf(from, number);
  return isPlanned(from, place) && isPlanned(to, place) ? numberOf(to, place) : null;
}

/** All three from 0 on: both plans have their common models and problems at the same positions. */
interface Place {
  readonly problem: number;
  readonly model: number;
  readonly trial: number;
}

function placeOf({ models, trials }: PlanSize, number: number): Place {
  const pair = Math.floor(number / trials);
  return {
    problem: Math.floor(pair / models.length),
    model: pair % models.length,
    trial: number % trials,
  };
}

const numberOf = ({ models, trials }: PlanSize, { problem, model, trial }: Place): number =>
  (problem * models.length + model) * trials + trial;

const isPlanned = ({ models, problemCount, trials }: PlanSize, { problem, model, trial }: Place): boolean =>
  problem >= 0 && problem < problemCount && model < models.length && trial < trials;
