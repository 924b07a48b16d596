import * as z from "zod";
import { EvaluatorError } from "../domain/errors.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluationId, RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import type { Store } from "../store/store.ts";

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

export const EvaluationPath = z.object({ id: EvaluationId });

export async function knownEvaluation(store: Store, id: EvaluationId): Promise<EvaluationRecord> {
  const record = await store.findEvaluation(id);
  if (record !== null) return record;
  throw new EvaluatorError("evaluation.unknown", `there is no evaluation ${id}`);
}
