import { expect, test } from "vitest";
import type { FailureCause } from "../../../src/domain/run/failure.ts";
import type { Exit } from "../../../src/isolation/parent/child-handle.ts";
import { explainExit, explainThrown } from "../../../src/isolation/parent/explain-failure.ts";

const HEAP = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
const SQLITE = "Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite";
const ended = (exit: Partial<Exit>): Exit => ({ code: null, signal: null, error: null, ...exit });
const refused = (code: string) =>
  ended({ error: Object.assign(new Error(`spawn node ${code}`), { code, syscall: "spawn node" }) });

test.each<[what: string, exit: Exit, stderr: string, cause: FailureCause, message: RegExp]>([
  ["exits with 0", ended({ code: 0 }), "", "no_answer", /ended its process before it answered/],
  ["exits with 7", ended({ code: 7 }), "", "agent_error", /exit code 7/],
  ["is killed", ended({ signal: "SIGKILL" }), "", "crashed", /SIGKILL/],
  ["is killed and said that its heap is full", ended({ signal: "SIGKILL" }), HEAP, "crashed", /SIGKILL/],
  ["aborts", ended({ signal: "SIGABRT" }), "", "agent_error", /SIGABRT: it aborted/],
  ["fails in native code", ended({ signal: "SIGSEGV" }), "", "agent_error", /SIGSEGV.*native code/],
  ["fills its heap", ended({ signal: "SIGABRT" }), HEAP, "out_of_memory", /limits\.memoryMb/],
  ["only says that its heap is full", ended({ code: 1 }), HEAP, "agent_error", /exit code 1/],
  ["misses a module", ended({ code: 1 }), SQLITE, "agent_error", /may not use node:sqlite.*`trusted: true`/],
  ["cannot start", refused("ENOENT"), "", "crashed", /could not be started: spawn node ENOENT$/],
  ["finds no file number", refused("EMFILE"), "", "crashed", /EMFILE; lower the concurrency.*ulimit -n/],
  ["finds no process number", refused("EAGAIN"), "", "crashed", /EAGAIN; lower the concurrency.*ulimit -u/],
])("a process that %s", (_what, exit, stderr, cause, message) => {
  const failure = explainExit("the agent", exit, stderr);
  expect(failure).toMatchObject({ cause, message: expect.stringMatching(message) });
});

test.each([
  [
    "MY_KEY is not set",
    'MY_KEY is not set; MY_KEY is set but not passed on to runs: add `env: ["MY_KEY"]` to',
  ],
  [
    "Missing credentials: OPENAI_API_KEY",
    'add `gateway: true` or `env: ["OPENAI_API_KEY"]` to the evaluation',
  ],
  ["NO_KEY is not set", /^NO_KEY is not set$/],
  ["MY_OTHER is bad", /^MY_OTHER is bad$/],
  ["the PATH is bad, and MY_KEY_2", /^the PATH is bad, and MY_KEY_2$/],
])("a run that says '%s' is told how to get it", (message, told) => {
  const variables = { MY_KEY: "1", OPENAI_API_KEY: "2", MY_OTHER: "3", PATH: "4" };
  const own = { mapStack: (stack: string) => stack, environment: { MY_OTHER: "3" }, variables };
  expect(explainThrown({ message, stack: "" }, own)).toMatch(told);
});
