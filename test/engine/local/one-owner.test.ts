import { expect, test } from "vitest";
import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { recheckEvaluation } from "../../../src/local/run-evaluation.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { aFolder } from "../../fixtures/files/a-folder.ts";
import { startChild } from "../../fixtures/processes/start-child.ts";
import { inProcess } from "../../fixtures/run/in-process-options.ts";
import { evalFile, runFile } from "../../fixtures/run/run-file.ts";
import { runInProcess } from "../../fixtures/run/run-in-process.ts";
import { changedStore } from "../../fixtures/run/store-with-changes.ts";

const THREE: Partial<EvaluationOptions> = {
  name: "three",
  problems: ["a", "b", "c"],
  concurrency: 1,
  buildAgent: () => () => "Lima",
  resultChecker: () => true,
};

/** "a" has ended, "b" was under way. */
async function stopped(store: Store): Promise<EvaluationRecord> {
  const stop = new AbortController();
  const buildAgent: EvaluationOptions["buildAgent"] = (_provider, _model, _tools, problem) => () => {
    if (problem === "a") return "Lima";
    stop.abort();
    return new Promise(() => {});
  };
  return (await runInProcess(store, { ...THREE, buildAgent }, { signal: stop.signal })).record;
}

test("of two processes that resume one evaluation at once, one runs it and the other runs nothing", async () => {
  const folder = aFolder();
  const store = openSqliteStore(folder);
  const stop = new AbortController();
  const { record } = await runFile("steady", { onEntry: () => stop.abort() }, { store, signal: stop.signal });
  const both = [1, 2].map(() => {
    const child = startChild("resume-when-told.ts", [evalFile("steady"), folder, record.id]);
    return { child, lines: child.lines[Symbol.asyncIterator]() };
  });
  for (const { lines } of both) expect((await lines.next()).value).toBe("found");
  for (const { child } of both) child.say("go on");
  const said = await Promise.all(both.map(({ lines }) => restOf(lines)));
  const [winner = [], loser] = said.toSorted((a, b) => b.length - a.length);
  expect(loser).toEqual(["refused evaluation.running"]);
  expect(winner.at(-1)).toBe("ended finished");
  const runs = winner.filter((line) => line.startsWith("run "));
  expect(new Set(runs).size).toBe(runs.length);
  expect(await Array.fromAsync(store.entries(record.id))).toHaveLength(20);
  await store.close();
});

async function restOf(lines: AsyncIterator<string>): Promise<string[]> {
  const rest: string[] = [];
  for (let next = await lines.next(); !next.done; next = await lines.next()) rest.push(next.value);
  return rest;
}

/** The same store for two who both find an evaluation before either of them writes. */
function meetingStore(store: Store): Store {
  const met = Promise.withResolvers<void>();
  let found = 0;
  return changedStore(store, {
    async findEvaluation(id) {
      const record = await store.findEvaluation(id);
      if (++found === 2) met.resolve();
      await met.promise;
      return record;
    },
  });
}

test("two that resume one evaluation in one process are told apart too", async () => {
  const store = memoryStore();
  const { id } = await stopped(store);
  const meeting = meetingStore(store);
  let runs = 0;
  const listener = { runStarted: () => runs++ };
  const resume = () => runInProcess(meeting, THREE, { resume: id, listener });
  const ends = await Promise.allSettled([resume(), resume()]);
  expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(ends.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "evaluation.running" },
  });
  expect(runs).toBe(2);
});

test("of a resume and a check at once, one has the evaluation", async () => {
  const store = memoryStore();
  const { id } = await stopped(store);
  const meeting = meetingStore(store);
  const check = { options: inProcess(THREE), bundle: null, file: null, store: meeting };
  const ends = await Promise.allSettled([
    runInProcess(meeting, THREE, { resume: id }),
    recheckEvaluation(check, id),
  ]);
  expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("an evaluation that is taken over is dropped by whoever still works on it", async () => {
  const store = memoryStore();
  const { id } = await stopped(store);
  const begun = Promise.withResolvers<void>();
  const asked: string[] = [];
  const waiting = runInProcess(
    store,
    {
      ...THREE,
      buildAgent: (_provider, _model, _tools, problem) => () => {
        asked.push(String(problem));
        begun.resolve();
        return new Promise(() => {});
      },
    },
    { resume: id },
  );
  const dropped = expect(waiting).rejects.toMatchObject({ code: "evaluation.taken_over" });
  await begun.promise;
  await expect(runInProcess(store, THREE, { resume: id })).rejects.toThrow(/--take-over/);
  const { record } = await runInProcess(store, THREE, { resume: id, takeOver: true });
  await dropped;
  expect(record).toMatchObject({ status: "finished", owner: null });
  expect(await store.findEvaluation(id)).toEqual(record);
  const entries = await Array.fromAsync(store.entries(id));
  expect(entries.map(({ problem, failure }) => [problem, failure])).toEqual([
    ["a", null],
    ["b", null],
    ["c", null],
  ]);
  expect(asked).toEqual(["b"]);
});
