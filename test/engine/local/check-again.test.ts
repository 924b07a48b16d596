import { expect, test } from "vitest";
import type { ModelKey } from "../../../src/domain/model.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { recheckEvaluation } from "../../../src/local/run-evaluation.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { inProcess } from "../../fixtures/run/in-process-options.ts";
import { runInProcess } from "../../fixtures/run/run-in-process.ts";

const ONE = "scripted/one" as ModelKey;
let ran = 0;

/** "a" answers at length, "b" has a checker that breaks, "c" fails. */
const THREE: Partial<EvaluationOptions> = {
  name: "three",
  problems: ["a", "b", "c"],
  buildAgent: (_provider: unknown, _model: string, _tools: unknown, problem: string) => () => {
    ran++;
    if (problem === "c") throw new Error("no answer");
    return problem.repeat(6_000);
  },
  resultChecker: (result: string) => {
    if (result.startsWith("b")) throw new Error("a broken checker");
    return false;
  },
};

const checkAgain = (store: Store, id: LogEntry["evaluationId"], changes: Partial<EvaluationOptions> = {}) =>
  recheckEvaluation({ options: inProcess({ ...THREE, ...changes }), bundle: null, file: null, store }, id);

test("a changed checker sees the stored results, and no agent runs", async () => {
  const store = memoryStore();
  const { record: first } = await runInProcess(store, THREE);
  ran = 0;
  const seen: unknown[] = [];
  const resultChecker: EvaluationOptions<string, string, string>["resultChecker"] = (
    result,
    _expected,
    context,
  ) => {
    seen.push([result.length, context.problem, context.trial]);
    return { correct: true, score: 0.5, reason: "now it is right" };
  };
  const { record, stats } = await checkAgain(store, first.id, { resultChecker });
  expect(ran).toBe(0);
  expect(seen.sort()).toEqual([
    [6_000, "a", 1],
    [6_000, "b", 1],
  ]);
  expect(record).toMatchObject({ id: first.id, status: "finished", round: 2, owner: null, stats });
  expect(stats[ONE]).toMatchObject({ finished: 3, correct: 2, failed: 1, meanScore: 0.5 });
  expect(await store.findEvaluation(first.id)).toEqual(record);
});

test("each check is an entry of its own, and what came before is kept", async () => {
  const store = memoryStore();
  const { record: first } = await runInProcess(store, THREE);
  await checkAgain(store, first.id, { resultChecker: () => true });
  await checkAgain(store, first.id, { resultChecker: () => null });
  const [a, b, c] = await Array.fromAsync(store.entries(first.id));
  const told = ({ round, recheckOf, correct }: LogEntry) => [round, recheckOf, correct];
  const roundsOf = async (entry: LogEntry | undefined) =>
    entry === undefined ? [] : (await store.rounds(first.id, entry.runId)).map(told);
  expect(await roundsOf(a)).toEqual([
    [1, null, false],
    [2, 1, true],
    [3, 1, null],
  ]);
  expect((await roundsOf(b)).at(0)).toEqual([1, null, null]);
  expect(await roundsOf(c)).toEqual([[1, null, null]]);
});

test("what the run used and left behind stays with it", async () => {
  const store = memoryStore();
  const { record: first } = await runInProcess(store, THREE);
  const [before] = await Array.fromAsync(store.entries(first.id));
  if (before === undefined) throw new Error("there is no entry");
  await checkAgain(store, first.id, { resultChecker: () => true });
  const [after] = await Array.fromAsync(store.entries(first.id));
  expect(after).toEqual({ ...before, round: 2, recheckOf: 1, correct: true });
  const bodies = await Promise.all([1, 2].map((round) => store.readBody(first.id, before.runId, round)));
  expect(bodies[1]).toEqual(bodies[0]);
});

test("a check that is cancelled ends the checker, and what it did not reach stays as it was", async () => {
  const store = memoryStore();
  const { record: first } = await runInProcess(store, { ...THREE, resultChecker: () => false });
  const resultChecker = async () => {
    await store.requestCancel(first.id, 2);
    return new Promise<never>(() => {});
  };
  const { record, stats } = await checkAgain(store, first.id, { resultChecker, concurrency: 1 });
  expect(record).toMatchObject({ status: "finished", round: 2, recheck: { round: 2, unchecked: 2 } });
  expect(stats).toEqual(first.stats);
  const rounds = (await Array.fromAsync(store.entries(first.id))).map(({ round }) => round);
  expect(rounds).toEqual([1, 1, 1]);
});

test("a checker that breaks now leaves a checker_error, and a resume does not run agents for it", async () => {
  const store = memoryStore();
  const { record: first } = await runInProcess(store, { ...THREE, resultChecker: () => true });
  await checkAgain(store, first.id);
  const causes = (await Array.fromAsync(store.entries(first.id))).map(
    ({ failure }) => failure?.cause ?? null,
  );
  expect(causes).toEqual([null, "checker_error", "agent_error"]);
  ran = 0;
  await runInProcess(store, THREE, { resume: first.id });
  expect(ran).toBe(0);
});
