import { gzipSync } from "node:zlib";
import { BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { foldShard } from "../../src/domain/stats/shard-stats.ts";
import { type DynamoPlace, dynamoStore } from "../../src/store/dynamo/dynamo-store.ts";
import type { Item } from "../../src/store/dynamo/items.ts";
import { type Key, progressKey, shardKey } from "../../src/store/dynamo/keys.ts";
import { type AwsServers, startAwsServers } from "../fixtures/aws/aws-servers.ts";
import { seeded } from "../fixtures/cloud/simulate-shards.ts";
import { aPlan } from "../fixtures/records/a-plan.ts";
import { anApi } from "./an-api.ts";

let servers: AwsServers;
beforeAll(async () => {
  servers = await startAwsServers();
});
afterAll(() => servers.stop());

const Shown = z.object({
  status: z.string(),
  progress: z.object({ total: z.number(), finished: z.number() }),
  stats: z.record(z.string(), z.object({ finished: z.number() })),
});

const SHARDS = 2_000;
const RUNS_PER_SHARD = 500;

/** A table in which the shards of a million runs have ended, but for those that are open. */
async function aMillionRuns(isOpen: (shard: number) => boolean) {
  const place = { ...servers, table: await servers.createTable(), bucket: "bodies" };
  const store = dynamoStore(place);
  const small = aPlan(250);
  const problemCount = (SHARDS * RUNS_PER_SHARD) / small.record.models.length / small.record.trials;
  const record = {
    ...{ ...small.record, problemCount, status: "running" as const, endedAt: null, stats: null },
    runnerVersion: "orchestrator:1",
  };
  await store.createEvaluation(record, small.problems);
  const random = seeded(4);
  const entries = Array.from({ length: RUNS_PER_SHARD }, (_, index) => ({
    ...small.entry(index),
    runtimeSeconds: Math.round(5_000 + random() * 40_000) / 1_000,
    costUsd: Math.round(1e9 * (0.001 + random() / 100)) / 1e9,
  }));
  const one = foldShard(
    { evaluationId: record.id, shard: 0, round: 1, from: 0, to: RUNS_PER_SHARD },
    entries,
  );
  const items = Array.from({ length: SHARDS }, (_, shard) => {
    const from = shard * RUNS_PER_SHARD;
    const ended = { ...one, shard, from, to: from + RUNS_PER_SHARD };
    const stats = { B: gzipSync(JSON.stringify(ended)) };
    const counts = { finished: { N: "500" }, correct: { N: "500" } };
    const inProgress = { ...keyItem(progressKey(record.id, from, 1)), ...counts };
    return isOpen(shard) ? [inProgress] : [inProgress, { ...keyItem(shardKey(record.id, shard)), stats }];
  }).flat();
  await putAll(place, items);
  // One that the store itself has written.
  await store.saveShardStats({ ...one, shard: 1, from: RUNS_PER_SHARD, to: 2 * RUNS_PER_SHARD });
  return { place, store, record };
}

const keyItem = ({ pk, sk }: Key): Item => ({ pk: { S: pk }, sk: { S: sk } });

async function putAll({ dynamo, table }: DynamoPlace, items: readonly Item[]): Promise<void> {
  for (let first = 0; first < items.length; first += 25) {
    const requests = items.slice(first, first + 25).map((Item) => ({ PutRequest: { Item } }));
    await dynamo.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }));
  }
}

test("the status of a million runs is shown with forty queries at most", async () => {
  const { place, store, record } = await aMillionRuns((shard) => shard % 150 === 0 || shard > 1_980);
  const { get } = await anApi({ store });
  let queries = 0;
  place.dynamo.middlewareStack.add((next) => (args) => {
    queries++;
    return next(args);
  });
  const shown = Shown.parse(await (await get(`/evaluations/${record.id}`)).json());
  expect(shown).toMatchObject({ status: "running", progress: { total: 1_000_000, finished: 1_000_000 } });
  const finished = Object.values(shown.stats).map((stats) => stats.finished);
  expect(finished.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(950_000);
  expect(queries).toBeLessThanOrEqual(40);
}, 300_000);
