import { countPlanned } from "../domain/run-number.ts";
import type { ShardStats } from "../domain/shard-stats.ts";
import type { VerdictRow } from "../domain/verdict.ts";
import type { EntrySource } from "./entry-source.ts";
import { readVerdictRows } from "./verdict-rows.ts";

/** The row of every shard that is added up for the present round, and what entries say of all the others. */
export async function* shardVerdictRows(
  source: EntrySource | null,
  shards: AsyncIterable<ShardStats>,
): AsyncGenerator<VerdictRow> {
  if (source === null) return;
  let next = 0;
  for await (const { from, to, round, verdicts } of shards) {
    if (round < source.record.round || from < next) continue;
    yield* readVerdictRows(source, { from: next, to: from });
    yield { from, verdicts };
    next = to;
  }
  yield* readVerdictRows(source, { from: next, to: countPlanned(source.record) });
}
