import * as z from "zod";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { EvaluationId, RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import type { Store } from "../store/contract.ts";
import { knownEvaluation } from "./known-evaluation.ts";

export const RunPath = z.object({ id: EvaluationId, runId: RunId });

/** Every round of a run, and the one that counts or was asked for. */
export async function knownRun(
  store: Store,
  { id, runId }: z.output<typeof RunPath>,
  round?: number,
): Promise<{ entry: LogEntry; rounds: readonly LogEntry[] }> {
  await knownEvaluation(store, id);
  const rounds = await store.rounds(id, runId);
  const entry = round === undefined ? rounds.at(-1) : rounds.find((each) => each.round === round);
  if (entry !== undefined) return { entry, rounds };
  const which = round === undefined ? "" : ` in round ${round}`;
  throw new EvaluatorError("run.unknown", `no run ${runId} of ${id} has ended${which}`);
}
