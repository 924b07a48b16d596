import { afterAll, beforeAll, expect, test } from "vitest";
import type { EvaluationRecord } from "../../src/domain/evaluation.ts";
import type { ModelKey } from "../../src/domain/model.ts";
import type { LogEntry } from "../../src/domain/run/log-entry.ts";
import { BudgetBrake } from "../../src/engine/budget-brake.ts";
import type { EvaluationOptions } from "../../src/engine/definition/definition.ts";
import { dynamoStore } from "../../src/store/dynamo/dynamo-store.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { type AwsServers, startAwsServers } from "../fixtures/aws/aws-servers.ts";
import { countWrites } from "../fixtures/aws/count-writes.ts";
import { aBody, aLogEntry, anEvaluation, aProblem } from "../fixtures/records/a-log-entry.ts";
import { runInProcess } from "../fixtures/run/run-in-process.ts";
import { changedStore } from "../fixtures/run/store-with-changes.ts";

const ONE = "scripted/one" as ModelKey;

/** Twenty runs that cost a cent and use a thousand tokens each. */
const TWENTY: Partial<EvaluationOptions> = {
  problems: Array.from({ length: 20 }, (_, number) => [`problem ${number}`, "Lima"]),
  scripts: { one: [{ say: "Lima", usage: { inputTokens: 900, outputTokens: 100 } }] },
  prices: { [ONE]: { input: 10, output: 10 } },
  concurrency: 3,
};

const causesOf = async (store: Store, id: EvaluationRecord["id"]): Promise<(string | null)[]> =>
  (await Array.fromAsync(store.entries(id))).map(({ failure }) => failure?.cause ?? null);
const count = (list: readonly unknown[], what: unknown) => list.filter((each) => each === what).length;

test.each<[budget: NonNullable<EvaluationOptions["budget"]>, runs: number, why: string]>([
  [{ usd: 0.05 }, 5, "the budget of $0.05 is spent"],
  [{ tokens: 7_000 }, 7, "the budget of 7000 tokens is spent"],
  [{ usd: 100, tokens: 1 }, 1, "the budget of 1 token is spent"],
])(
  "with %j runs stop when it is spent, and at most those under way are too many",
  async (budget, runs, why) => {
    const store = memoryStore();
    const warnings: string[] = [];
    const listener = { warning: (message: string) => warnings.push(message) };
    const { record, stats } = await runInProcess(store, { ...TWENTY, budget }, { listener });
    const causes = await causesOf(store, record.id);
    expect([causes.length, record.status]).toEqual([20, "cancelled"]);
    const answered = count(causes, null);
    expect(answered).toBeGreaterThanOrEqual(runs);
    expect(answered).toBeLessThanOrEqual(runs + 2);
    expect(count(causes, "budget")).toBe(20 - answered);
    expect(stats[ONE]).toMatchObject({
      finished: 20,
      correct: answered,
      failuresByFault: { stopped: 20 - answered },
    });
    expect(warnings).toEqual([expect.stringContaining(why)]);
  },
);

test("a budget that is enough stops nothing", async () => {
  const store = memoryStore();
  const { record, stats } = await runInProcess(store, { ...TWENTY, budget: { usd: 0.21, minutes: 60 } });
  expect([record.status, stats[ONE]?.correct]).toEqual(["finished", 20]);
});

test("a resume with the same budget runs nothing, and with a larger one goes on in a new round", async () => {
  const store = memoryStore();
  const options = { ...TWENTY, concurrency: 1 };
  const { record: first } = await runInProcess(store, { ...options, budget: { usd: 0.05 } });
  const again = await runInProcess(store, options, { resume: first.id });
  expect(again.record).toMatchObject({ round: 2, status: "cancelled", budget: { usd: 0.05 } });
  expect(count(await causesOf(store, first.id), "budget")).toBe(15);
  const more = await runInProcess(store, { ...options, budget: { usd: 0.12 } }, { resume: first.id });
  expect([more.record.round, count(await causesOf(store, first.id), "budget")]).toEqual([3, 8]);
  const all = await runInProcess(store, { ...options, budget: { usd: 1 } }, { resume: first.id });
  expect(all.record).toMatchObject({ round: 4, status: "finished" });
  expect(all.stats[ONE]).toMatchObject({ finished: 20, correct: 20, costUsd: 0.2 });
});

test("minutes that are over stop what has not started, and with more it goes on in a new round", async () => {
  const store = memoryStore();
  const options = { ...TWENTY, concurrency: 1 };
  const warnings: string[] = [];
  const listener = { warning: (message: string) => warnings.push(message) };
  const { record: first } = await runInProcess(store, { ...options, budget: { tokens: 5_000 } });
  const over = { ...options, budget: { minutes: 1e-6 } };
  const { record: second } = await runInProcess(store, over, { resume: first.id, listener });
  expect(second).toMatchObject({ round: 2, status: "cancelled" });
  const causes = await causesOf(store, first.id);
  expect([count(causes, null), count(causes, "budget")]).toEqual([5, 15]);
  expect(warnings).toEqual([expect.stringContaining("minutes is over")]);
  const longer = { ...options, budget: { minutes: 60 } };
  const { record, stats } = await runInProcess(store, longer, { resume: first.id });
  expect(record).toMatchObject({ round: 3, status: "finished" });
  expect(stats[ONE]).toMatchObject({ finished: 20, correct: 20 });
});

test("what was used before there was a budget counts too", async () => {
  const store = memoryStore();
  const stop = new AbortController();
  let ended = 0;
  const onEntry = () => void (++ended === 6 && stop.abort());
  const options = { ...TWENTY, concurrency: 1 };
  const { record } = await runInProcess(store, { ...options, onEntry }, { signal: stop.signal });
  await runInProcess(store, { ...options, budget: { usd: 0.1 } }, { resume: record.id });
  expect(count(await causesOf(store, record.id), null)).toBe(10);
});

test("what earlier rounds used counts too, though later ones took their place", async () => {
  const store = memoryStore();
  const options = { ...TWENTY, concurrency: 1 };
  const buildAgent: EvaluationOptions["buildAgent"] = (provider, model) => async () => {
    await provider.generate({ model, messages: [{ role: "user", content: "?" }] });
    throw new Error("I give up");
  };
  const failing = { ...options, buildAgent };
  const { record } = await runInProcess(store, failing);
  await runInProcess(store, failing, { resume: record.id, retryFailed: true });
  const resume = { resume: record.id, retryFailed: true };
  await runInProcess(store, { ...options, budget: { usd: 0.45 } }, resume);
  expect(count(await causesOf(store, record.id), null)).toBe(5);
});

test("an evaluation without a budget does not depend on what counts its spending", async () => {
  const busy = async () => {
    throw new Error("too many requests");
  };
  const store = changedStore(memoryStore(), { addSpend: busy });
  const { stats } = await runInProcess(store, TWENTY);
  expect(stats[ONE]).toMatchObject({ finished: 20, correct: 20 });
});

test("a model without a price is told of when the budget is in dollars", async () => {
  const warnings: string[] = [];
  const listener = { warning: (message: string) => warnings.push(message) };
  await runInProcess(memoryStore(), { ...TWENTY, prices: {}, budget: { usd: 1 } }, { listener });
  expect(warnings).toEqual([expect.stringContaining("the price of scripted/one is unknown")]);
});

let servers: AwsServers;
beforeAll(async () => {
  servers = await startAwsServers();
});
afterAll(() => servers.stop());

test("fifty runners at once spend no more than the budget and what is under way", async () => {
  const place = { ...servers, table: await servers.createTable(), bucket: "bodies" };
  const [runners, budget] = [50, 200];
  const record = anEvaluation({ trials: 1_000, budget: { tokens: budget } });
  await dynamoStore(place).createEvaluation(record, [aProblem()]);
  const usage = { inputTokens: 1, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
  let next = 0;
  const ended: LogEntry[] = [];
  const work = async () => {
    const store = dynamoStore(place);
    const brake = new BudgetBrake(store, record, systemClock);
    while (await brake.mayStart()) {
      const entry = aLogEntry({ index: next++, usage });
      await brake.add(entry);
      await store.saveEntry(entry, aBody());
      ended.push(entry);
    }
  };
  const count = countWrites(servers.dynamo, "#spend");
  await Promise.all(Array.from({ length: runners }, work));
  expect(count.writes).toBe(ended.length);
  expect(count.keys.size).toBe(16);
  expect(ended.length).toBeGreaterThanOrEqual(budget);
  expect(ended.length).toBeLessThan(budget + runners);
  expect(await dynamoStore(place).spent(record.id)).toMatchObject({ tokens: ended.length });
});
