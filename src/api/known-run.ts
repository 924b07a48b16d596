import * as z from "zod";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { EvaluationId, RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import type { Store } from "../store/contract.ts";
import { knownEvaluation } from "./known-evaluation.ts";

/** A run by its id, or by its number in the plan, which is what a grid knows. */
const RunName = z.union(
  [
    RunId,
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ],
  "expected the id of a run, or its number",
);

export const RunPath = z.object({ id: EvaluationId, runId: RunName });

/** Every round of a run, and the one that counts or was asked for. */
export async function knownRun(
  store: Store,
  { id, runId }: z.output<typeof RunPath>,
  round?: number,
): Promise<{ entry: LogEntry; rounds: readonly LogEntry[] }> {
  await knownEvaluation(store, id);
  const known = typeof runId === "number" ? await idOfNumber(store, id, runId) : runId;
  const rounds = known === null ? [] : await store.rounds(id, known);
  const entry = round === undefined ? rounds.at(-1) : rounds.find((each) => each.round === round);
  if (entry !== undefined) return { entry, rounds };
  const which = round === undefined ? "" : ` in round ${round}`;
  throw new EvaluatorError("run.unknown", `no run ${runId} of ${id} has ended${which}`);
}

async function idOfNumber(store: Store, id: EvaluationId, number: number): Promise<RunId | null> {
  for await (const { runId } of store.entries(id, { fromIndex: number, toIndex: number + 1 })) return runId;
  return null;
}
