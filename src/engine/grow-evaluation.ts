import type { EvaluationRecord } from "../domain/evaluation.ts";
import { grownPlan } from "../domain/grown-plan.ts";
import { canonicalJson } from "../domain/json.ts";
import { countRuns } from "../domain/plan.ts";
import type { Problem } from "../domain/problem.ts";
import { countPlanned } from "../domain/run-number.ts";
import { type BegunEvaluation, beginEvaluation } from "./begin-evaluation.ts";
import { nothingNew } from "./grown-options.ts";
import type { LocalEvaluation } from "./local-evaluation.ts";
import { countSpendBefore } from "./spend-before.ts";
import { takeOver } from "./take-over.ts";

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
  if (countRuns(plan) === countPlanned(stored)) {
    if (input.mustGrow) throw nothingNew(stored.id);
    return null;
  }
  for (const id of changedProblems(problems, definition.problems)) {
    listener.warning?.(
      `problem ${id} changed since; it stays as it was, so give the new one an id of its own`,
    );
  }
  const begun = await beginEvaluation(
    { ...input, definition: { ...definition, ...plan } },
    { grownFrom: stored.id, keepsFailed: input.retryFailed !== true },
  );
  await countSpendBefore(store, stored.id, begun.record.id);
  const span = { from: 0, to: countRuns(plan) };
  await takeOver({ store, from: stored, to: begun.record, span, isWanted: () => true });
  return begun;
}

function changedProblems(before: readonly Problem[], now: readonly Problem[]): string[] {
  const contentOf = ({ problem, expected }: Problem) => canonicalJson([problem, expected]);
  const known = new Map(before.map((problem) => [problem.id, contentOf(problem)]));
  return now
    .filter((problem) => (known.get(problem.id) ?? contentOf(problem)) !== contentOf(problem))
    .map(({ id }) => id);
}
