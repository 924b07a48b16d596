import type { EvaluationRecord } from "../domain/evaluation.ts";
import { canonicalJson } from "../domain/json.ts";
import { modelKey } from "../domain/model.ts";
import { countRuns, type Plan, planRuns } from "../domain/plan.ts";
import type { Problem } from "../domain/problem.ts";
import { type BegunEvaluation, beginEvaluation } from "./begin-evaluation.ts";
import { sha256 } from "./digest.ts";
import { isDone } from "./is-done.ts";
import type { LocalEvaluation } from "./local-evaluation.ts";

/**
 * A stored evaluation with the models, problems and trials that the definition has beyond it; null when there are none.
 * It becomes an evaluation of its own, because runs are known by their number in the plan: what ended before is taken
 * over under its new number, and the older one stays as it was.
 */
export async function growEvaluation(
  input: LocalEvaluation,
  stored: EvaluationRecord,
): Promise<BegunEvaluation | null> {
  const { store, definition, listener } = input;
  const problems = await Array.fromAsync(store.problems(stored.id));
  const plan = grownPlan(stored, problems, definition);
  if (countRuns(plan) === stored.models.length * problems.length * stored.trials) return null;
  for (const id of changedProblems(problems, definition.problems)) {
    listener.warning?.(
      `problem ${id} changed since; it stays as it was, so give the new one an id of its own`,
    );
  }
  const begun = await beginEvaluation(
    { ...input, definition: { ...definition, ...plan } },
    { grownFrom: stored.id },
  );
  await takeOver(input, stored, begun);
  return begun;
}

/** What is there keeps its place, and what is new comes after it. */
export function grownPlan(
  stored: Pick<EvaluationRecord, "name" | "models" | "trials">,
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

function changedProblems(before: readonly Problem[], now: readonly Problem[]): string[] {
  const contentOf = ({ problem, expected }: Problem) => canonicalJson([problem, expected]);
  const known = new Map(before.map((problem) => [problem.id, contentOf(problem)]));
  return now
    .filter((problem) => (known.get(problem.id) ?? contentOf(problem)) !== contentOf(problem))
    .map(({ id }) => id);
}

async function takeOver(
  { store, retryFailed }: LocalEvaluation,
  from: EvaluationRecord,
  { record, plan }: BegunEvaluation,
): Promise<void> {
  const numbers = new Map(planRuns(plan, sha256).map(({ runId, index }) => [runId, index]));
  for await (const entry of store.entries(from.id)) {
    const index = numbers.get(entry.runId);
    if (index === undefined || !isDone(entry, retryFailed)) continue;
    const body = await store.readBody(from.id, entry.runId, entry.round);
    // What got lost is run again.
    if (body === null) continue;
    const { id: evaluationId, round } = record;
    await store.saveEntry({ ...entry, evaluationId, round, index, result: body.result }, body);
  }
}
