import { expect, test } from "vitest";
import type { ModelKey } from "../../../src/domain/model.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { StatsFold } from "../../../src/domain/stats/stats.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { runInProcess } from "../../fixtures/run/run-in-process.ts";

const ONE = "scripted/one" as ModelKey;

const THREE: Partial<EvaluationOptions> = {
  name: "three",
  problems: ["a", "b", "c"],
  concurrency: 1,
  resultChecker: () => true,
};

/** "b" fails the first time, "c" always. */
async function failed(store: Store) {
  const buildAgent = (_provider: unknown, _model: unknown, _tools: unknown, problem: string) => () => {
    if (problem === "a") return "done";
    throw new Error(`no answer to ${problem}`);
  };
  return (await runInProcess(store, { ...THREE, buildAgent })).record;
}

const buildAgent = (_provider: unknown, _model: unknown, _tools: unknown, problem: string) => () => {
  if (problem === "c") throw new Error("still none");
  return "done";
};

const told = ({ problem, round, failure }: LogEntry) => [problem, round, failure?.cause ?? "answered"];

test("a retry runs what failed again, in a new round, and leaves the rest alone", async () => {
  const store = memoryStore();
  const { id } = await failed(store);
  const { record, stats } = await runInProcess(
    store,
    { ...THREE, buildAgent },
    { resume: id, retryFailed: true },
  );
  expect(record).toMatchObject({ status: "finished", round: 2, stats });
  expect((await Array.fromAsync(store.entries(id))).map(told)).toEqual([
    ["a", 1, "answered"],
    ["b", 2, "answered"],
    ["c", 2, "agent_error"],
  ]);
  expect(stats[ONE]).toMatchObject({ finished: 3, correct: 2, failed: 1 });
});

test("without retryFailed a resume leaves failures alone", async () => {
  const store = memoryStore();
  const { id } = await failed(store);
  const { record } = await runInProcess(store, { ...THREE, buildAgent }, { resume: id });
  expect(record.round).toBe(1);
  expect((await Array.fromAsync(store.entries(id))).map(told)).toEqual([
    ["a", 1, "answered"],
    ["b", 1, "agent_error"],
    ["c", 1, "agent_error"],
  ]);
});

test("a retry that is cancelled before it gets far keeps the failures in its stats", async () => {
  const store = memoryStore();
  const { id } = await failed(store);
  const stop = AbortSignal.abort();
  const { record, stats } = await runInProcess(
    store,
    { ...THREE, buildAgent },
    { resume: id, retryFailed: true, signal: stop },
  );
  expect(record.status).toBe("cancelled");
  const fold = new StatsFold([ONE], 3);
  for await (const entry of store.entries(id)) fold.add(entry);
  expect(stats).toEqual(fold.stats());
  expect(stats[ONE]).toMatchObject({ finished: 3, failed: 2 });
});

/** A store that says when somebody has read that a cancel was asked for. */
function watchedStore(): { store: Store; seen: Promise<void> } {
  const store = memoryStore();
  const seen = Promise.withResolvers<void>();
  const ask = store.isCancelRequested.bind(store);
  store.isCancelRequested = async (id, round) => {
    const isAsked = await ask(id, round);
    if (isAsked) setImmediate(seen.resolve);
    return isAsked;
  };
  return { store, seen: seen.promise };
}

test("a request in the store stops the evaluation; what is under way ends as it is", async () => {
  const { store, seen } = watchedStore();
  const askInB: EvaluationOptions["buildAgent"] = (_provider, _model, _tools, problem) => async () => {
    const [running] = await store.listEvaluations();
    if (problem !== "b" || running === undefined) return "done";
    await store.requestCancel(running.id, running.round);
    await seen;
    return "done";
  };
  const { record } = await runInProcess(store, { ...THREE, buildAgent: askInB });
  expect(record).toMatchObject({ status: "cancelled", round: 1 });
  expect((await Array.fromAsync(store.entries(record.id))).map(told)).toEqual([
    ["a", 1, "answered"],
    ["b", 1, "answered"],
  ]);
  const again = await runInProcess(
    store,
    { ...THREE, buildAgent: () => () => "done" },
    { resume: record.id },
  );
  expect(again.record).toMatchObject({ status: "finished", round: 2 });
  expect(again.stats[ONE]).toMatchObject({ finished: 3, correct: 3 });
});

test("an evaluation that is started under an id has it, and only once", async () => {
  const store = memoryStore();
  const { id } = await failed(store);
  const again = runInProcess(store, { ...THREE, buildAgent }, { id });
  await expect(again).rejects.toMatchObject({ code: "evaluation.exists" });
});
