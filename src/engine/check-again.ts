import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { EvaluationId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import { modelKey } from "../domain/model.ts";
import type { Run } from "../domain/plan.ts";
import { judgeRun } from "./judge-run.ts";
import { type EvaluationOutcome, foldEntries, type LocalEvaluation, specOf } from "./local-evaluation.ts";
import { findStopped } from "./resume-evaluation.ts";

/** Checks every stored result again, in a round of its own; no agent runs, and what the checks before said is kept. */
export async function checkAgain(input: LocalEvaluation, id: EvaluationId): Promise<EvaluationOutcome> {
  const { store, owner, definition, listener } = input;
  const stored = await findStopped(input, id);
  const record: EvaluationRecord = { ...stored, status: "running", round: stored.round + 1, owner };
  await store.updateEvaluation(record);
  const models = record.models.map(modelKey);
  const total = record.models.length * record.problemCount * record.trials;
  listener.started?.({ record, total, alreadyDone: 0, models });
  const { signal } = input;
  const entries = store.entries(id)[Symbol.asyncIterator]();
  const work = async (): Promise<void> => {
    for (let next = await entries.next(); !next.done && !signal.aborted; next = await entries.next()) {
      const checked = await checkEntry(input, record, next.value);
      listener.entry?.(checked);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: definition.concurrency }, work));
  const stats = await foldEntries(store, record);
  // However far the checks came, the evaluation itself is as finished as it was before.
  const ended: EvaluationRecord = { ...stored, round: record.round, owner: null, stats };
  await store.updateEvaluation(ended);
  const broken = ends.find((end) => end.status === "rejected");
  if (broken !== undefined) throw broken.reason;
  return { record: ended, stats };
}

async function checkEntry(
  input: LocalEvaluation,
  record: EvaluationRecord,
  entry: LogEntry,
): Promise<LogEntry> {
  if (!isCheckable(entry)) return entry;
  const { store } = input;
  const body = await store.readBody(record.id, entry.runId, entry.round);
  if (body === null) return entry;
  const verdict = await judgeRun(runOf(entry), specOf(input, record), body);
  if (verdict.failure?.fault === "stopped") return entry;
  const { round } = record;
  const recheckOf = entry.recheckOf ?? entry.round;
  const checked: LogEntry = { ...entry, result: body.result, ...verdict, round, recheckOf };
  await store.saveEntry(checked, body);
  return checked;
}

/** A run that gave no answer has nothing to check; one whose checker broke has. */
const isCheckable = ({ failure }: LogEntry): boolean => failure === null || failure.cause === "checker_error";

const runOf = ({ index, runId, providerKey, model, trial, ...entry }: LogEntry): Run => ({
  ...{ index, runId, trial },
  model: { providerKey, model },
  problem: { id: entry.problemId, problem: entry.problem, expected: entry.expected, tags: entry.tags },
});
