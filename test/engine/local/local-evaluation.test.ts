import { expect, onTestFinished, test, vi } from "vitest";
import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import type { ModelKey } from "../../../src/domain/model.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import type { StartInfo } from "../../../src/engine/engine.ts";
import { evaluateLocally } from "../../../src/engine/local/local-evaluation.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { setUp } from "../../fixtures/run/evaluate-here.ts";
import { inProcess } from "../../fixtures/run/in-process-options.ts";
import { runInProcess } from "../../fixtures/run/run-in-process.ts";
import { changedStore } from "../../fixtures/run/store-with-changes.ts";

const ONE = "scripted/one" as ModelKey;
const TEN: Partial<EvaluationOptions> = {
  problems: Array.from({ length: 10 }, (_, index) => `problem ${index}`),
  buildAgent: () => () => "Lima",
  resultChecker: () => true,
};

test.each([1, 3, 8, 50])("at most %d runs are under way at once, and no fewer", async (concurrency) => {
  let [now, most] = [0, 0];
  const buildAgent = () => async () => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setImmediate(resolve));
    now--;
    return "Lima";
  };
  const { stats } = await runInProcess(memoryStore(), { ...TEN, buildAgent, concurrency });
  expect(most).toBe(Math.min(concurrency, 10));
  expect(stats[ONE]).toMatchObject({ finished: 10, correct: 10 });
});

test("the record says how many runs at a time, and in the end what they added up to", async () => {
  const store = memoryStore();
  const atStart: (EvaluationRecord | null)[] = [];
  const listener = { started: ({ record }: StartInfo) => void atStart.push(record) };
  const { record, stats } = await runInProcess(store, { ...TEN, concurrency: 3 }, { listener });
  expect(atStart).toMatchObject([{ concurrency: 3, stats: null }]);
  expect(await store.findEvaluation(record.id)).toMatchObject({ concurrency: 3, stats });
});

test("an entry is saved before anybody hears of it", async () => {
  const store = memoryStore();
  const seen: Promise<boolean>[] = [];
  const isThere = async (entry: LogEntry) => {
    const found = await Array.fromAsync(store.entries(entry.evaluationId, { runIds: [entry.runId] }));
    return found.length === 1 && (await store.readBody(entry.evaluationId, entry.runId, 1)) !== null;
  };
  await runInProcess(store, { ...TEN, onEntry: (entry: LogEntry) => void seen.push(isThere(entry)) });
  expect(await Promise.all(seen)).toEqual(Array(10).fill(true));
});

test("what another process saved first counts, in its place and once", async () => {
  const store = memoryStore();
  const rival = changedStore(store, {
    async saveEntry(entry, body) {
      if (entry.index === 4) await store.saveEntry({ ...entry, correct: false }, body);
      return store.saveEntry(entry, body);
    },
  });
  const heard: LogEntry[] = [];
  const listener = { entry: (entry: LogEntry) => void heard.push(entry) };
  const { record, stats } = await runInProcess(rival, { ...TEN, concurrency: 1 }, { listener });
  expect(heard).toEqual(await Array.fromAsync(store.entries(record.id)));
  expect(stats[ONE]).toMatchObject({ finished: 10, correct: 9, wrong: 1 });
});

test("a store that breaks stops the evaluation, and what was saved is resumed", async () => {
  const store = memoryStore();
  const breaking = changedStore(store, {
    async saveEntry(entry, body) {
      if (entry.index === 4) throw new Error("the disk is full");
      return store.saveEntry(entry, body);
    },
  });
  const broken = runInProcess(breaking, { ...TEN, concurrency: 3 });
  await expect(broken).rejects.toThrow("the disk is full");
  const [record] = await store.listEvaluations();
  if (record === undefined) throw new Error("no evaluation");
  expect(record).toMatchObject({ status: "broken", owner: null });
  const kept = await Array.fromAsync(store.entries(record.id));
  expect(kept.length).toBeGreaterThanOrEqual(4);
  const { stats } = await runInProcess(store, TEN, { resume: record.id });
  expect(stats[ONE]).toMatchObject({ finished: 10, correct: 10, failed: 0 });
});

test("an id that is taken is drawn again", async () => {
  const store = memoryStore();
  const draws = [0.5, 0.5, 0.25];
  const input = await setUp(inProcess({ name: "same" }), store, {
    clock: { ...systemClock, now: () => new Date(0) },
    random: () => draws.shift() ?? 0,
  });
  const ids = [await evaluateLocally(input), await evaluateLocally(input)].map(({ record }) => record.id);
  expect(new Set(ids).size).toBe(2);
  expect(await store.listEvaluations()).toHaveLength(2);
  for (const id of ids) expect(await Array.fromAsync(store.entries(id))).toHaveLength(1);
});

test.each([
  ["back", -3_600_000],
  ["forward", 3_600_000],
])("a clock set %s an hour during a run changes no duration and ends no run", async (_way, byMs) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const store = memoryStore();
  const { record, stats } = await runInProcess(store, {
    buildAgent: (provider, model) => async () => {
      vi.setSystemTime(Date.now() + byMs);
      return (await provider.generate({ model, messages: [{ role: "user", content: "hello" }] })).content;
    },
    scripts: { one: [{ say: "Lima", latencyMs: 60 }] },
  });
  expect(stats[ONE]).toMatchObject({ correct: 1, failed: 0 });
  const [entry] = await Array.fromAsync(store.entries(record.id));
  expect(entry?.runtimeSeconds).toBeGreaterThanOrEqual(0.059);
  expect(entry?.runtimeSeconds).toBeLessThan(60);
  expect(Date.parse(entry?.endedAt ?? "") - Date.parse(entry?.startedAt ?? "")).toBe(byMs);
});

test.each<[what: string, choice: object, problems: string[]]>([
  ["the first two", { limit: 2 }, ["problem 0", "problem 1"]],
  ["more than there are", { limit: 99 }, TEN.problems as string[]],
  ["none", { limit: 0 }, []],
])("of the problems %s are run", async (_what, choice, problems) => {
  const store = memoryStore();
  const { record, stats } = await runInProcess(store, TEN, { choice });
  const entries = await Array.fromAsync(store.entries(record.id));
  expect(entries.map(({ problem }) => problem)).toEqual(problems);
  expect(stats[ONE]?.planned).toBe(problems.length);
});

test("a problem that is asked for and not there is told with some that are", async () => {
  const selected = runInProcess(
    memoryStore(),
    { problems: [{ problem: 1, id: "a" }] },
    { choice: { problemIds: ["z"] } },
  );
  await expect(selected).rejects.toThrow('there is no problem "z"; the first ids are a');
});
