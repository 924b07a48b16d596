import { expect, test } from "vitest";
import { foldStored } from "../../src/api/stats-reader.ts";
import type { EvaluationRecord } from "../../src/domain/evaluation.ts";
import { foldShard } from "../../src/domain/stats/shard-stats.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { aBody } from "../fixtures/records/a-log-entry.ts";
import { entryFor, storeEvaluation } from "../fixtures/records/a-stored-evaluation.ts";

const IN_CLOUD: Partial<EvaluationRecord> = { status: "running", round: 2, runnerVersion: "orchestrator:1" };

/** Runs 2 and 5 of eight failed in the first round, whose last two runs are a shard without failures. */
async function afterFirstRound(record: Partial<EvaluationRecord>) {
  const store = memoryStore();
  const stored = await storeEvaluation(store, { problems: 4, record });
  const entries = await Array.fromAsync(store.entries(stored.record.id));
  const evaluationId = stored.record.id;
  for (const [shard, from, to] of [
    [0, 0, 4],
    [1, 4, 6],
    [2, 6, 8],
  ] as const) {
    const place = { evaluationId, shard, round: 1, from, to };
    await store.saveShardStats(foldShard(place, entries.slice(from, to)));
  }
  const ended = async () =>
    Object.values(await foldStored(store, stored.record)).map(({ finished, failed }) => [finished, failed]);
  return { ...stored, store, ended };
}

test("runs that a round does again are open until they end once more", async () => {
  const { store, record, runs, ended } = await afterFirstRound(IN_CLOUD);
  expect(await ended()).toEqual([
    [3, 0],
    [3, 0],
  ]);
  for (const run of runs.slice(2, 3)) {
    await store.saveEntry(entryFor(record, run, { round: 2, correct: true }), aBody());
  }
  expect(await ended()).toEqual([
    [4, 0],
    [3, 0],
  ]);
});

test("a shard that a round has folded is taken as it is", async () => {
  const { store, record, ended } = await afterFirstRound(IN_CLOUD);
  const entries = await Array.fromAsync(store.entries(record.id, { fromIndex: 0, toIndex: 4 }));
  await store.saveShardStats(
    foldShard({ evaluationId: record.id, shard: 0, round: 2, from: 0, to: 4 }, entries),
  );
  expect(await ended()).toEqual([
    [4, 1],
    [3, 0],
  ]);
});

test.each([
  ["on a laptop, where failures are not run again", { status: "running", round: 2 }],
  ["of a round that has ended", { ...IN_CLOUD, status: "broken" }],
] as const)("failures count %s", async (_, record) => {
  const { ended } = await afterFirstRound(record);
  expect(await ended()).toEqual([
    [4, 1],
    [4, 1],
  ]);
});
