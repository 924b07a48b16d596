import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { makeEvaluationId } from "../domain/ids.ts";
import type { Plan } from "../domain/plan.ts";
import { budgetFields } from "./budget-brake.ts";
import type { LocalEvaluation } from "./local-evaluation.ts";

export interface BegunEvaluation {
  readonly record: EvaluationRecord;
  readonly plan: Plan;
}

/** Stores a new evaluation with the problems it is about. */
export async function beginEvaluation(
  input: LocalEvaluation,
  origin: Partial<Pick<EvaluationRecord, "grownFrom" | "keepsFailed">> = {},
): Promise<BegunEvaluation> {
  const { definition, clock, random, id, store } = input;
  const { name, models, trials, problems } = definition;
  const makeId = () => makeEvaluationId(name, clock.now().getTime(), random);
  let record = { ...newRecord(input, problems.length, id ?? makeId()), ...origin };
  while ((await store.createEvaluation(record, problems)) === "already-there") {
    if (id !== undefined)
      throw new EvaluatorError("evaluation.exists", `there is an evaluation ${id} already`);
    // Another evaluation of this name may have begun in the same millisecond and drawn the same letters.
    record = { ...record, id: makeId() };
  }
  return { record, plan: { name, models, problems, trials } };
}

const newRecord = (
  { definition, clock, file, fingerprint, owner }: LocalEvaluation,
  problemCount: number,
  id: EvaluationRecord["id"],
): EvaluationRecord => ({
  v: 1,
  id,
  name: definition.name,
  status: "running",
  file,
  fingerprint,
  models: [...definition.models],
  trials: definition.trials,
  problemCount,
  limits: definition.limits,
  round: 1,
  tags: definition.tags,
  startedAt: clock.now().toISOString(),
  endedAt: null,
  owner,
  concurrency: definition.concurrency,
  stats: null,
  grownFrom: null,
  keepsFailed: true,
  recheck: null,
  ...budgetFields(definition.budget, clock.now()),
  execution: null,
  runnerVersion: null,
});
