import { join } from "node:path";
import { LocalDurableTestRunner } from "@aws/durable-execution-sdk-js-testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDefinitions } from "../../src/deploy/definitions.ts";
import { DeployedRunner } from "../../src/deploy/runner.ts";
import { cloudEngine } from "../../src/engine/cloud/cloud-engine.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { executeRound } from "../fixtures/cloud/cloud-account.ts";
import { noExecutions } from "../fixtures/cloud/idle-executions.ts";
import { someMeans } from "../fixtures/cloud/runner-means.ts";
import { descendantsOf } from "../fixtures/processes/process-tree.ts";

const index = join(import.meta.dirname, "../fixtures/deployed/evals/index.ts");

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

test("straight from a laptop's files every run is a process of its own", async () => {
  const store = memoryStore();
  const leases = vi.spyOn(store.fleetLimits, "lease");
  const definitions = await openDefinitions(index);
  const runner = new DeployedRunner({
    ...{ definitions, store, onEntry: () => {}, atFirst: null },
    variables: { ...process.env, OPENAI_API_KEY: "sk-not-for-agents" },
  });
  await runner.warmUp();
  const booted = descendantsOf(process.pid);
  const engine = cloudEngine({
    store,
    executions: noExecutions,
    definitions: async () => definitions,
    runner: someMeans,
    clock: systemClock,
    random: Math.random,
  });
  const { id, round, limits } = await engine.start({ evaluation: "capitals", trials: 3 });
  const opened = await runner.open("capitals", limits);
  const killed = new Set([1, 4]);
  await executeRound(
    {
      ...{ store, opened },
      trouble: {
        beforeRun: ({ run }, delivery) => (killed.has(run) && delivery === 1 ? new Error("killed") : null),
      },
    },
    { v: 1, evaluationId: id, round },
  );
  await runner.close();

  const entries = await Array.fromAsync(store.entries(id));
  expect(entries.map(({ correct }) => correct)).toEqual([true, true, true, false, false, false]);
  expect(new Set(entries.map(({ pid }) => pid)).size).toBe(6);
  expect(entries.some(({ pid }) => booted.includes(pid ?? 0))).toBe(true);
  for (const { result, pid } of entries) {
    expect(result).toMatchObject({ pid, seen: [] });
    expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
  }
  // What answers by itself has no limit that others would have to know.
  expect(leases).not.toHaveBeenCalled();
  const record = await store.findEvaluation(id);
  expect(record?.stats).toMatchObject({ "scripted/atlas": { finished: 6, correct: 3, planned: 6 } });
});
