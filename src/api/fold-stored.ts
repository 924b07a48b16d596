import type { EvaluationRecord } from "../domain/evaluation.ts";
import { isDone } from "../domain/is-done.ts";
import { entryModelKey, type LogEntry } from "../domain/log-entry.ts";
import { type ModelKey, modelKey } from "../domain/model.ts";
import type { ModelStats } from "../domain/model-stats.ts";
import { isChecking } from "../domain/recheck.ts";
import { countPlanned, type RunSpan } from "../domain/run-number.ts";
import { mergeShard } from "../domain/shard-stats.ts";
import { addEntry, emptyTally, type Tally, toModelStats } from "../domain/stats.ts";
import { countToDo } from "../engine/cloud/runs-to-do.ts";
import type { Store } from "../store/contract.ts";

/** What an evaluation's runs add up to so far: shards that are added up already, and entries only of the others. */
export async function foldStored(
  store: Store,
  record: EvaluationRecord,
): Promise<Record<ModelKey, ModelStats>> {
  const tallies = new Map<ModelKey, Tally>(record.models.map((model) => [modelKey(model), emptyTally()]));
  for (const { from, to } of await mergeShards(store, record, tallies)) {
    for await (const entry of store.entries(record.id, { fromIndex: from, toIndex: to })) {
      const tally = isOpen(record, entry) ? undefined : tallies.get(entryModelKey(entry));
      if (tally !== undefined) addEntry(tally, entry);
    }
  }
  const planned = record.problemCount * record.trials;
  const pairs = [...tallies].map(([key, tally]) => [key, toModelStats(tally, planned)]);
  return Object.fromEntries(pairs) as Record<ModelKey, ModelStats>;
}

/** Whether a round that is under way runs it again: in the cloud all that failed, elsewhere what was stopped. */
const isOpen = (record: EvaluationRecord, entry: LogEntry): boolean =>
  isRunningAgain(record) && entry.round < record.round && !isDone(entry, record.runnerVersion !== null);

/** While results are checked again every run has ended. */
const isRunningAgain = (record: EvaluationRecord): boolean =>
  record.status === "running" && !isChecking(record);

/** Adds the shards there are and answers with the spans between and after them, and of those that may have open runs. */
async function mergeShards(
  store: Store,
  record: EvaluationRecord,
  tallies: Map<ModelKey, Tally>,
): Promise<RunSpan[]> {
  const gaps: RunSpan[] = [];
  let from = 0;
  for await (const shard of store.shardStats(record.id)) {
    if (isRunningAgain(record) && shard.round < record.round && countToDo(shard.verdicts) > 0) continue;
    if (shard.from > from) gaps.push({ from, to: shard.from });
    mergeShard(tallies, shard);
    from = shard.to;
  }
  const to = countPlanned(record);
  return from < to ? [...gaps, { from, to }] : gaps;
}
