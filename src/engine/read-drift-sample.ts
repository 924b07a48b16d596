import type { EffortRow } from "../domain/effort-row.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import type { EvaluationId } from "../domain/ids.ts";
import { countPlanned } from "../domain/run-number.ts";
import { DriftSample } from "../domain/statistics/drift-sample.ts";
import { VERDICT, type VerdictRow } from "../domain/verdict.ts";
import type { Store } from "../store/contract.ts";

export type SampleStore = Pick<Store, "findEvaluation" | "entries" | "shardStats" | "problems">;

/**
 * What evaluations say together. Where a deployment has counted them shard by shard, that is read, an item for 500
 * runs, and no entry: a million runs are two thousand items.
 */
export async function readDriftSample(
  store: SampleStore,
  ids: readonly EvaluationId[],
): Promise<DriftSample> {
  const sample = new DriftSample();
  for (const id of ids) {
    const record = await store.findEvaluation(id);
    const rows = record === null ? null : await readRows(store, record);
    if (record !== null && rows !== null) await addRows(store, record, rows, sample);
    else for await (const entry of store.entries(id)) sample.addEntry(entry);
  }
  return sample;
}

type Rows = VerdictRow & { readonly efforts: EffortRow };

/** Null unless every run was counted, by a release that counts what it took. */
async function readRows(store: SampleStore, record: EvaluationRecord): Promise<Rows[] | null> {
  const rows: Rows[] = [];
  let next = 0;
  for await (const { from, to, verdicts, efforts } of store.shardStats(record.id)) {
    if (efforts === undefined || from !== next || verdicts.includes(VERDICT.missing)) return null;
    rows.push({ from, verdicts, efforts });
    next = to;
  }
  return next === countPlanned(record) && next > 0 ? rows : null;
}

async function addRows(
  store: SampleStore,
  record: EvaluationRecord,
  rows: readonly Rows[],
  sample: DriftSample,
): Promise<void> {
  const problemIds: string[] = [];
  for await (const { id } of store.problems(record.id)) problemIds.push(id);
  for (const { efforts, ...row } of rows) sample.addRow(row, efforts, record, problemIds);
}
