import type { Drift, DriftAlarm } from "../domain/drift.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import type { EvaluationId } from "../domain/ids.ts";
import { driftSentence } from "../domain/show/drift-sentence.ts";
import { findDrift } from "../domain/statistics/find-drift.ts";
import type { Store } from "../store/contract.ts";
import { readDriftSample, type SampleStore } from "./read-drift-sample.ts";

export type DriftStore = SampleStore & Pick<Store, "listEvaluations">;

/** Compares an evaluation that has ended with those before it; null when there is nothing to tell. */
export async function checkDrift(
  store: DriftStore,
  record: EvaluationRecord,
  drift: Drift,
): Promise<DriftAlarm | null> {
  const against = await chooseBaselines(store, record, drift);
  if (against.length === 0) return null;
  const findings = findDrift(
    await readDriftSample(store, [record.id]),
    await readDriftSample(store, against),
  );
  if (findings.length === 0) return null;
  const text = `${record.id} got worse than ${against.join(", ")}: ${findings.map(driftSentence).join("; ")}`;
  return { v: 1, text, evaluation: record.id, name: record.name, against, findings };
}

async function chooseBaselines(
  store: DriftStore,
  record: EvaluationRecord,
  { baseline, last = 0 }: Drift,
): Promise<EvaluationId[]> {
  if (baseline === undefined) {
    const listed = await store.listEvaluations({ name: record.name, status: "finished" });
    const earlier = listed.filter(({ id, startedAt }) => id !== record.id && startedAt <= record.startedAt);
    return earlier.slice(0, last).map(({ id }) => id);
  }
  if ((await store.findEvaluation(baseline)) !== null) return [baseline];
  throw new EvaluatorError(
    "drift.no_baseline",
    `drift.baseline of ${record.name} names the evaluation ${baseline}, which is not in this store; name another one, or use \`last\``,
  );
}
