import { expect, test } from "vitest";
import { Grid } from "../../src/api/answers.ts";
import { EvaluationId } from "../../src/domain/ids.ts";
import { foldShard } from "../../src/domain/stats/shard-stats.ts";
import type { Store } from "../../src/store/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { anEvaluation } from "../fixtures/records/a-log-entry.ts";
import { someProblems, storeEvaluation } from "../fixtures/records/a-stored-evaluation.ts";
import { anApi } from "./an-api.ts";

/** A large evaluation whose runs all ended alike, which takes a store no time to know. */
async function storeLarge(store: Store, size: { models: number; problems: number; trials: number }) {
  const models = Array.from({ length: size.models }, (_, at) => ({
    providerKey: "scripted",
    model: `m${at}`,
  }));
  const runs = size.models * size.problems * size.trials;
  const id = EvaluationId.parse("large-1");
  const record = anEvaluation({
    id,
    models,
    trials: size.trials,
    problemCount: size.problems,
    status: "cancelled",
  });
  await store.createEvaluation(record, someProblems(size.problems));
  const at = "2026-01-02T03:04:05.000Z";
  await store.saveRange({
    v: 1,
    evaluationId: id,
    round: 1,
    from: 0,
    to: runs,
    cause: "crashed",
    message: "lost",
    at,
  });
  return runs;
}

test("the grid of 20 models and 5,000 problems is one answer of less than 2 MB", async () => {
  const api = await anApi();
  await storeLarge(api.store, { models: 20, problems: 5_000, trials: 1 });
  const text = await (await api.get("/evaluations/large-1/grid")).text();
  expect(text.length).toBeLessThan(2_000_000);
  const grid = Grid.parse(JSON.parse(text));
  expect([grid.problems.length, grid.rows.length, grid.next]).toEqual([5_000, 5_000, null]);
  expect(new Set(grid.rows)).toEqual(new Set(["c".repeat(20)]));
});

test("the grid of a million runs comes in pages, none of them larger", async () => {
  const api = await anApi();
  const runs = await storeLarge(api.store, { models: 10, problems: 5_000, trials: 20 });
  let verdicts = 0;
  for (let from: number | null = 0; from !== null; ) {
    const text = await (await api.get(`/evaluations/large-1/grid?problems=false&from=${from}`)).text();
    expect(text.length).toBeLessThan(2_000_000);
    const grid = Grid.parse(JSON.parse(text));
    verdicts += grid.rows.join("").length;
    from = grid.next;
  }
  expect(verdicts).toBe(runs);
});

/** Counts what is read of a store's entries. */
function countEntries(store: Store): { readonly reads: number } {
  const read = store.entries.bind(store);
  const count = { reads: 0 };
  store.entries = async function* (id, filter) {
    for await (const entry of read(id, filter)) {
      count.reads++;
      yield entry;
    }
  };
  return count;
}

test("many who look at once read the entries once", async () => {
  const api = await anApi({ clock: { ...systemClock, monotonicMs: () => 0 } });
  const { record, runs } = await storeEvaluation(api.store, { problems: 50 });
  const count = countEntries(api.store);
  const looks = Array.from({ length: 20 }, () => api.get(`/evaluations/${record.id}`));
  expect(new Set((await Promise.all(looks)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(count.reads).toBe(runs.length);
});

test("shards that are added up already are not read again", async () => {
  const api = await anApi();
  const { record } = await storeEvaluation(api.store, { problems: 4 });
  const entries = await Array.fromAsync(api.store.entries(record.id));
  const shard = { evaluationId: record.id, shard: 0, round: 1, from: 0, to: 6 };
  await api.store.saveShardStats(foldShard(shard, entries.slice(0, 6)));
  const count = countEntries(api.store);
  const { stats } = (await (await api.get(`/evaluations/${record.id}`)).json()) as { stats: object };
  expect(count.reads).toBe(2);
  expect(stats).toMatchObject({ "scripted/m0": { finished: 4 }, "scripted/m1": { finished: 4 } });
});
