import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { checkEntry } from "../check-entry.ts";
import { deadlineSignal } from "./deadline.ts";
import type { RunAnswer, RunEvent } from "./events.ts";
import type { RunnerParts } from "./run-in-cloud.ts";

/** Checks the stored result of one run again in a Lambda; one that this round has checked is not checked twice. */
export async function checkInCloud(
  { store, open, clock }: RunnerParts,
  record: EvaluationRecord,
  { round, run }: Pick<RunEvent, "round" | "run">,
  remainingMs: () => number,
): Promise<RunAnswer> {
  if (await store.isCancelRequested(record.id, round)) return "not-started";
  const { id: evaluationId, name, limits } = record;
  const opened = await open(name, limits);
  const deadline = deadlineSignal(remainingMs());
  const spec = { ...opened, evaluationId, round, limits, clock, cancelled: deadline.signal };
  try {
    for await (const entry of store.entries(evaluationId, { fromIndex: run, toIndex: run + 1 })) {
      await checkEntry({ store, record, spec }, entry);
    }
    return "ended";
  } finally {
    deadline.clear();
  }
}
