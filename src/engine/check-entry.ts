import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import type { Run } from "../domain/plan.ts";
import { isUnchecked } from "../domain/recheck.ts";
import type { Store } from "../store/contract.ts";
import { BudgetBrake } from "./budget-brake.ts";
import { judgeRun } from "./judge-run.ts";
import type { RunSpec } from "./run-spec.ts";

export interface EntryCheck {
  readonly store: Pick<Store, "readBody" | "saveEntry" | "addSpend">;
  readonly record: EvaluationRecord;
  /** How to check; its round is the one that checks. */
  readonly spec: RunSpec;
}

/** Checks a stored result again and answers with what counts from now on; what cannot be checked stays as it is. */
export async function checkEntry({ store, record, spec }: EntryCheck, entry: LogEntry): Promise<LogEntry> {
  const { round } = spec;
  if (!isUnchecked(entry, round)) return entry;
  const body = await store.readBody(record.id, entry.runId, entry.round, entry.index);
  if (body === null) return entry;
  const verdict = await judgeRun(runOf(entry), spec, body);
  if (verdict.failure?.fault === "stopped") return entry;
  const recheckOf = entry.recheckOf ?? entry.round;
  const checked: LogEntry = { ...entry, result: body.result, ...verdict, round, recheckOf };
  // What the agent used was counted when it ran.
  await new BudgetBrake(store, record, spec.clock).add({ ...checked, usage: null, costUsd: null });
  await store.saveEntry(checked, body);
  return checked;
}

const runOf = ({ index, runId, providerKey, model, trial, ...entry }: LogEntry): Run => ({
  ...{ index, runId, trial },
  model: { providerKey, model },
  problem: { id: entry.problemId, problem: entry.problem, expected: entry.expected, tags: entry.tags },
});
