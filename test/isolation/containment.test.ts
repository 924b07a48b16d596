import { existsSync } from "node:fs";
import * as inspector from "node:inspector";
import { expect, test, vi } from "vitest";
import { PATIENCE } from "../fixtures/run/patience.ts";
import { runFile } from "../fixtures/run/run-file.ts";

const FAST = { limits: { timeoutSeconds: 100 } } as const;
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

test("six runs use six processes, none of them ours", async () => {
  const { logs } = await runFile("misbehaving", { ...FAST, problems: ["tells its pid"], trials: 6 });
  const pids = new Set(logs.map(({ result }) => result));
  expect(pids.size).toBe(6);
  expect(pids).not.toContain(process.pid);
});

test("module state does not pass from one run to the next", async () => {
  const { logs } = await runFile("misbehaving", {
    ...FAST,
    problems: ["counts what it remembers"],
    trials: 4,
  });
  expect(logs.map(({ result }) => result)).toEqual(Array(4).fill(expect.objectContaining({ count: 1 })));
});

test("a pool reuses processes, one run at a time, and module state goes along", async () => {
  const { logs } = await runFile("misbehaving", {
    ...FAST,
    problems: ["counts what it remembers"],
    trials: 12,
    concurrency: 2,
    isolation: "pool",
  });
  const results = logs.map(({ result }) => result as { count: number; pid: number });
  const pids = [...new Set(results.map(({ pid }) => pid))];
  expect(pids.length).toBeLessThanOrEqual(2);
  for (const pid of pids) {
    const counts = results.filter((result) => result.pid === pid).map(({ count }) => count);
    expect(counts.sort((a, b) => a - b)).toEqual(counts.map((_, index) => index + 1));
  }
});

test("a pool replaces a process after a failure", async () => {
  const { logs } = await runFile("misbehaving", {
    ...FAST,
    problems: ["counts what it remembers#1", "throws", "counts what it remembers#2"],
    concurrency: 1,
    isolation: "pool",
  });
  expect([logs[0]?.result, logs[2]?.result]).toEqual([
    expect.objectContaining({ count: 1 }),
    expect.objectContaining({ count: 1 }),
  ]);
});

test("a pool replaces a process after a timeout", async () => {
  const { logs } = await runFile("misbehaving", {
    problems: ["counts what it remembers#1", "never settles", "counts what it remembers#2"],
    limits: { timeoutSeconds: 8 },
    concurrency: 1,
    isolation: "pool",
  });
  expect(logs[1]?.failure?.cause).toBe("timeout");
  expect(logs[1]?.pid).toBe(logs[0]?.pid);
  expect(logs[2]?.result).toEqual({ count: 1, pid: logs[2]?.pid });
});

test("a pool replaces a process after 200 runs", async () => {
  const { logs } = await runFile("misbehaving", {
    ...FAST,
    problems: ["counts what it remembers"],
    trials: 201,
    concurrency: 1,
    isolation: "pool",
  });
  const counts = logs.map(({ result }) => (result as { count: number }).count);
  expect(counts).toEqual([...Array.from({ length: 200 }, (_, index) => index + 1), 1]);
});

test("the next process boots while the present run waits for its model", async () => {
  const { logs } = await runFile("waiting", { models: [["scripted", "slow"]], concurrency: 1 });
  const [first, second] = logs;
  expect(second?.pid).not.toBe(first?.pid);
  expect(Number(second?.stdout.head)).toBeLessThan(Date.parse(first?.endedAt ?? ""));
});

test("the environment is an allow-list: no key, no credential, only what the definition names", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-planted-key");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "planted-secret");
  vi.stubEnv("WANTED_BY_AGENT", "yes");
  vi.stubEnv("LD_LIBRARY_PATH", "/var/lang/lib");
  const { logs } = await runFile("misbehaving", {
    ...FAST,
    problems: ["tells its environment"],
    env: ["WANTED_BY_AGENT"],
  });
  vi.unstubAllEnvs();
  expect(logs[0]?.result).toMatchObject({
    ...{ WANTED_BY_AGENT: "yes", PATH: process.env.PATH },
    LD_LIBRARY_PATH: "/var/lang/lib",
  });
  expect(JSON.stringify(logs)).not.toMatch(/planted/);
});

test("a child cannot read its parent's environment", async () => {
  const { logs } = await runFile("misbehaving", { ...FAST, problems: ["reads its parent's environment"] });
  expect(logs[0]).toMatchObject({ result: null, failure: { cause: "agent_error" } });
  const { message = "" } = logs[0]?.failure ?? {};
  expect(message).toMatch(
    /^a run may not read (\/proc\/\d+\/environ); add `permissions: { read: \["\1"\] }`.*`trusted: true`/,
  );
  expect(message).not.toContain("--allow");
});

test("a child writes to its own temp folder alone, and the folder goes with the run", async () => {
  const { logs } = await runFile("misbehaving", {
    ...FAST,
    problems: ["writes to its temp folder", "writes elsewhere"],
    trials: 2,
  });
  const folders = logs.slice(0, 2).map(({ result }) => (result as { tempFolder: string }).tempFolder);
  expect(new Set(folders).size).toBe(2);
  expect(folders.some((folder) => existsSync(folder))).toBe(false);
  const refused = {
    cause: "agent_error",
    message: expect.stringMatching(/^a run may not write (\S+); add `permissions: { write: \["\1"\] }`/),
  };
  expect(logs.slice(2).map(({ failure }) => failure)).toMatchObject([refused, refused]);
});

test("without the permission to spawn, an agent cannot start a process", async () => {
  const { logs } = await runFile("misbehaving", { ...FAST, problems: ["leaves grandchildren"] });
  expect(logs[0]?.failure).toMatchObject({
    cause: "agent_error",
    message: expect.stringMatching(/^a run may not start .*`permissions: { spawn: true }`/),
  });
});

test("grandchildren end with the run, also those that left its session", async () => {
  const { logs } = await runFile("misbehaving", {
    ...FAST,
    problems: ["leaves grandchildren"],
    permissions: { spawn: true },
  });
  const pids = logs[0]?.result as number[];
  expect(pids).toHaveLength(2);
  await vi.waitUntil(() => pids.every(isGone), PATIENCE);
});

test.each(["process", "pool"] as const)("in %s every run's output stays with that run", async (isolation) => {
  const printed: unknown[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation((chunk) => printed.push(chunk) > 0),
  );
  const { logs } = await runFile("misbehaving", { ...FAST, isolation, problems: ["prints"], trials: 10 });
  for (const spy of spies) spy.mockRestore();
  expect(printed).toEqual([]);
  for (const { runId, stdout, stderr } of logs) {
    expect([stdout.head, stderr.head]).toEqual([`out of ${runId}\n`, `err of ${runId}\n`]);
  }
});

test("the first and the last 32 KB of the output are kept, and the rest is counted", async () => {
  const { logs, store } = await runFile("misbehaving", { ...FAST, problems: ["prints much"] });
  const [entry] = logs;
  if (entry === undefined) throw new Error("no entry");
  const body = await store.readBody(entry.evaluationId, entry.runId, entry.round);
  const { head, tail, bytes, droppedBytes } = body?.stdout ?? {
    head: "",
    tail: "",
    bytes: 0,
    droppedBytes: 0,
  };
  expect([head.length, tail.length, bytes, droppedBytes]).toEqual([
    32_768,
    32_768,
    120_009,
    120_009 - 65_536,
  ]);
  expect(head.startsWith("firsta") && tail.endsWith("blast")).toBe(true);
});

test.each(["process", "pool"] as const)(
  "in isolation %s an agent signals nobody but itself",
  async (isolation) => {
    const problems = [
      "signals its parent",
      "signals its parent with functions of its own",
      "asks for its parent's debugger",
      "signals itself",
    ];
    const { logs } = await runFile("misbehaving", { ...FAST, isolation, problems });
    const found = logs.map(({ result, failure }) => failure?.message ?? result);
    const refused = expect.stringMatching(/^kill EPERM/);
    expect(found).toEqual([refused, refused, refused, true]);
  },
);

test("even an agent that may start processes does not open the evaluator's debugger", async () => {
  const { logs } = await runFile("misbehaving", {
    ...FAST,
    problems: ["asks for its parent's debugger"],
    permissions: { spawn: true },
  });
  expect(logs.map(({ result }) => result)).toEqual(["asked"]);
  expect(inspector.url()).toBeUndefined();
});
