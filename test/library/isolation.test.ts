import { existsSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { IsolationKind, LogEntry, ModelStats } from "../../src/index.ts";
import { readOutput, runScript } from "../fixtures/run/run-script.ts";

interface Fresh {
  readonly pid: number;
  readonly timers: number;
  readonly stats: Readonly<Record<string, ModelStats>>;
  readonly logs: readonly (Omit<LogEntry, "result"> & { readonly result: Found })[];
}

interface Found {
  /** What a run found of others: remembered by the module, in the environment, in its temp folder. */
  readonly found: readonly [number, string | null, number];
  readonly pid: number;
  /** The process that ran the script's first lines. */
  readonly startedBy: number;
  readonly tempFolder: string;
  readonly runId: string;
}

const runFresh = (...args: IsolationKind[]) => readOutput<Fresh>(runScript("look-for-traces.ts", args));
const pidsOf = ({ logs }: Fresh) => new Set(logs.map(({ result }) => result.pid));

describe("by default", () => {
  let fresh: Fresh;
  beforeAll(async () => {
    fresh = await runFresh();
  });

  test("a fresh process per run, never a reused worker: six runs use six pids", () => {
    expect(pidsOf(fresh).size).toBe(6);
    expect(pidsOf(fresh)).not.toContain(fresh.pid);
    for (const { pid, result } of fresh.logs) expect(pid).toBe(result.pid);
  });

  test("nothing of one run reaches another: module state, environment, temp files, stdout, ids", () => {
    for (const { result, runId, stdout } of fresh.logs) {
      expect(result.found).toEqual([0, null, 0]);
      expect(stdout.head).toBe(`out of ${runId}\n`);
    }
    for (const part of ["tempFolder", "runId"] as const) {
      expect(new Set(fresh.logs.map(({ result }) => result[part])).size).toBe(6);
    }
    expect(fresh.logs.filter(({ result }) => existsSync(result.tempFolder))).toEqual([]);
  });

  test("a script's closures work, because its first lines run again in every process", () => {
    expect(fresh.stats["scripted/none"]).toMatchObject({ finished: 6, correct: 6 });
    for (const { result } of fresh.logs) expect(result.startedBy).toBe(result.pid);
  });

  test("the checker runs outside the agent's process", () => {
    for (const { reason } of fresh.logs) expect(pidsOf(fresh)).not.toContain(Number(reason));
    expect(fresh.logs.map(({ reason }) => reason)).not.toContain(String(fresh.pid));
  });

  test("starting a process is not part of a run's runtime", () => {
    const [first] = fresh.logs;
    expect(first?.startupSeconds).toBeGreaterThan(0.1);
    expect(first?.runtimeSeconds).toBeLessThan(first?.startupSeconds ?? 0);
  });

  test("nothing keeps a script alive after its evaluation", () => {
    expect(fresh.timers).toBe(0);
  });
});

test("in a pool processes are reused, one run after another", async () => {
  const fresh = await runFresh("pool");
  expect(pidsOf(fresh).size).toBeLessThanOrEqual(2);
  expect(pidsOf(fresh)).not.toContain(fresh.pid);
  for (const pid of pidsOf(fresh)) {
    const found = fresh.logs.filter(({ result }) => result.pid === pid).map(({ result }) => result.found[0]);
    expect(found.toSorted((a, b) => a - b)).toEqual(found.map((_, index) => index));
  }
  for (const { runId, stdout } of fresh.logs) expect(stdout.head).toBe(`out of ${runId}\n`);
  expect(fresh.stats["scripted/none"]).toMatchObject({ finished: 6, correct: 6 });
});

test("without isolation everything is in one process, also the checker", async () => {
  const fresh = await runFresh("none");
  expect([...pidsOf(fresh)]).toEqual([fresh.pid]);
  expect(fresh.logs.map(({ result }) => result.found[0])).toEqual([0, 1, 2, 3, 4, 5]);
  expect(fresh.logs.map(({ reason }) => reason)).toEqual(Array(6).fill(String(fresh.pid)));
  expect(fresh.stats["scripted/none"]).toMatchObject({ finished: 6, correct: 6 });
});
