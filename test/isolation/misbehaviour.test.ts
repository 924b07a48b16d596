import { describe, expect, test } from "vitest";
import type { FailureCause } from "../../src/domain/run/failure.ts";
import type { EvaluationOptions } from "../../src/engine/definition/definition.ts";
import { runFile } from "../fixtures/run/run-file.ts";

type Case = readonly [problem: string, cause: FailureCause, message: RegExp];

/** Time enough on a busy machine for all that is not to be ended by it. */
const LIMITS = { timeoutSeconds: 100, memoryMb: 300, diskMb: 50, outputKb: 512, resultKb: 256 };

const CASES: readonly Case[] = [
  ["throws", "agent_error", /RangeError: the agent fell over \(at .*misbehaving\.eval\.ts:\d+:\d+\)/],
  ["misreads a text", "agent_error", /SyntaxError: .* \(at .*misbehaving\.eval\.ts:\d+:\d+\)/],
  ["misses a file", "agent_error", /ENOENT.* \(at .*misbehaving\.eval\.ts:\d+:\d+\)/],
  ["throws nothing", "agent_error", /^threw undefined$/],
  ["throws later", "agent_error", /thrown in a timer/],
  ["exits with 0", "no_answer", /ended its process before it answered/],
  ["exits with 7", "agent_error", /exit code 7/],
  ["returns nothing", "no_answer", /returned nothing; did you forget `return`\?/],
  ["cannot reach a host", "agent_error", /^TypeError: fetch failed: .*ECONNREFUSED 127\.0\.0\.1:2\b/],
  ["is killed", "crashed", /SIGKILL/],
  ["hoards heap", "out_of_memory", /memoryMb/],
  ["hoards buffers", "out_of_memory", /memoryMb \(300\)/],
  ["has a hoarding grandchild", "out_of_memory", /memoryMb \(300\)/],
  [
    "fills its temp folder",
    "limit",
    /^the agent keeps 5\d MB in its temp folder, more than limits\.diskMb \(50\)/,
  ],
  [
    "makes many files",
    "limit",
    /^the agent keeps 5\d MB in its temp folder, more than limits\.diskMb \(50\)/,
  ],
  ["floods stdout", "limit", /outputKb \(512/],
  ["prints 20 MB and answers", "limit", /outputKb \(512/],
  ["returns 50 MB", "limit", /resultKb \(256\)/],
  ["returns a cycle", "agent_error", /cannot be stored as JSON: a cycle at result\.self\.again/],
  ["returns a prototype", "agent_error", /cannot be stored as JSON: a key "__proto__" at result\.answer/],
  ["returns a BigInt", "agent_error", /a BigInt at result\.big\[0\]/],
  ["returns an instance", "agent_error", /an instance of Answer at result\.answer/],
  ["writes garbage to the pipe", "agent_error", /fd 3/],
  ["writes a wrong message to the pipe", "agent_error", /fd 3/],
  ["writes half a frame and leaves", "agent_error", /ended inside a message/],
  ["announces 100 MB on the pipe", "limit", /^the agent announced 100000000 bytes, more than/],
];

const LATE: readonly Case[] = [
  ["loops forever", "timeout", /no answer within 6 s/],
  ["never settles", "timeout", /no answer within 6 s/],
  ["ignores SIGTERM", "timeout", /no answer within 6 s/],
];

const runCases = (options: Partial<EvaluationOptions>) =>
  runFile("misbehaving", {
    limits: LIMITS,
    permissions: { spawn: true },
    concurrency: 4,
    ...options,
  });

describe.each(["process", "pool"] as const)("in isolation %s", (isolation) => {
  test.each([
    ["misbehaving agent", CASES, LIMITS],
    ["agent that takes too long", LATE, { ...LIMITS, timeoutSeconds: 6 }],
  ])("every %s leaves an entry with its own cause, and the parent lives", async (_what, cases, limits) => {
    const problems = [...cases.map(([problem]) => problem), "answers"];
    const { logs, stats } = await runCases({ isolation, problems, limits });
    const found = logs.map(({ problem, failure }) => [problem, failure?.cause ?? "none"]);
    expect(found).toEqual([...cases.map(([problem, cause]) => [problem, cause]), ["answers", "none"]]);
    for (const [index, [, , message]] of cases.entries())
      expect(logs[index]?.failure?.message).toMatch(message);
    expect(stats["scripted/none" as never]).toMatchObject({ finished: cases.length + 1, correct: 1 });
  });
});

const EXCUSES: readonly Case[] = [
  ["kills itself", "agent_error", /exit code 137/],
  ["kills its group", "agent_error", /exit code 143/],
  ["aborts", "agent_error", /SIGABRT/],
  ["says that its heap is full and aborts", "out_of_memory", /memoryMb/],
  ["hoards heap", "out_of_memory", /memoryMb/],
];

test.each([false, true])(
  "no agent excuses itself, whether it may start processes or not (%s)",
  async (spawn) => {
    const { logs, stats } = await runCases({
      problems: [...EXCUSES.map(([problem]) => problem), "hears its own signal"],
      permissions: { spawn },
    });
    for (const [at, [, cause, message]] of EXCUSES.entries()) {
      expect(logs[at]?.failure).toEqual({ cause, fault: "code", message: expect.stringMatching(message) });
      expect(logs[at]?.attempts).toHaveLength(1);
    }
    expect(logs.at(-1)?.result).toBe("heard");
    expect(stats["scripted/none" as never]).toMatchObject({ accuracy: 1, failuresByFault: { code: 5 } });
  },
);

test("only a process that died by a foreign signal gets another attempt", async () => {
  const { logs } = await runCases({ problems: ["is killed", "throws", "exits with 7"] });
  expect(logs.map(({ attempts }) => attempts.map(({ cause }) => cause))).toEqual([
    ["crashed", "crashed"],
    ["agent_error"],
    ["agent_error"],
  ]);
});
