import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { commandOf, descendantsOf, isAlive } from "../fixtures/processes/process-tree.ts";
import { PATIENCE } from "../fixtures/run/patience.ts";
import { evalFile } from "../fixtures/run/run-file.ts";

const PROBLEMS = ["loops forever", "ignores SIGTERM", "has grandchildren and loops"];
/** A process per problem, two grandchildren, the reaper; spares and checkers are not counted on. */
const EXPECTED_PROCESSES = 6;

async function startBusyEvaluator(): Promise<{ evaluator: ChildProcess; below: number[] }> {
  const program = join(import.meta.dirname, "../fixtures/processes/programs/run-until-ended.ts");
  const evaluator = spawn(process.execPath, [program, evalFile("misbehaving"), ...PROBLEMS], {
    stdio: "ignore",
  });
  onTestFinished(() => void evaluator.kill("SIGKILL"));
  const { pid } = evaluator;
  if (pid === undefined) throw new Error("the evaluator did not start");
  await vi.waitUntil(() => descendantsOf(pid).length >= EXPECTED_PROCESSES, PATIENCE);
  return { evaluator, below: descendantsOf(pid) };
}

test("kill -9 of the evaluator leaves no process behind", async () => {
  const { evaluator, below } = await startBusyEvaluator();
  evaluator.kill("SIGKILL");
  await vi.waitUntil(() => !below.some(isAlive), PATIENCE);
  expect(below.filter(isAlive)).toEqual([]);
});

test("an interrupted evaluator ends its runs, then itself", async () => {
  const { evaluator, below } = await startBusyEvaluator();
  evaluator.kill("SIGINT");
  const [code] = await once(evaluator, "exit");
  expect(code).toBe(0);
  await vi.waitUntil(() => !below.some(isAlive), PATIENCE);
});

test("an evaluator whose reaper is killed goes on, and still ends its runs in order", async () => {
  const { evaluator, below } = await startBusyEvaluator();
  const reaper = below.find((pid) => commandOf(pid).includes("reaper.ts"));
  if (reaper === undefined) throw new Error("there is no reaper");
  process.kill(reaper, "SIGKILL");
  await vi.waitUntil(() => !isAlive(reaper), PATIENCE);
  expect(evaluator.exitCode ?? evaluator.signalCode).toBeNull();
  evaluator.kill("SIGINT");
  expect(await once(evaluator, "exit")).toEqual([0, null]);
  await vi.waitUntil(() => !below.some(isAlive), PATIENCE);
});
