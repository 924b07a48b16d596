import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadDefinition } from "../../src/local/load-definition.ts";
import { runEvaluation } from "../../src/local/run-evaluation.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { aProject } from "../fixtures/files/a-project.ts";

/** A definition whose code does something as it loads in a run's process, and as its agent is built. */
const definition = ({ loading = "", building = "", tools = "", checking = "", seconds = 60 }) => `
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { defineEvaluation, mcpTools } from "agent-evaluator";
if (process.env.AGENT_EVALUATOR_RUN !== undefined) { ${loading} }
export default defineEvaluation({
  name: "set-up",
  models: [["scripted", "one"]],
  problems: ["a"],
  tools: [${tools}],
  limits: { timeoutSeconds: ${seconds}, outputKb: 64, diskMb: 10 },
  buildAgent: () => { ${building} return () => "done"; },
  resultChecker: () => { ${checking} return true; },
});`;

async function evaluateAs(code: Parameters<typeof definition>[0]) {
  const file = join(aProject({ "set-up.eval.ts": definition(code) }), "set-up.eval.ts");
  const store = memoryStore();
  const { record, stats } = await runEvaluation({ ...(await loadDefinition(file)), file, store });
  const [entry] = await Array.fromAsync(store.entries(record.id));
  return { entry, stats };
}

test.each([
  [
    "prints",
    'for (;;) writeSync(1, "x".repeat(65_536));',
    /checker printed more than limits\.outputKb \(64 KB\)/,
  ],
  [
    "writes",
    'writeFileSync(process.env.TMPDIR + "/a", "x".repeat(2e7)); for (;;);',
    /^the checker keeps 19 MB in its temp folder, more than limits\.diskMb \(10\)/,
  ],
])(
  "a checker that %s without end is ended, and no answer is wrong for it",
  async (_what, checking, message) => {
    const { entry, stats } = await evaluateAs({ checking });
    expect(entry).toMatchObject({ result: "done", correct: null, failure: { cause: "checker_error" } });
    expect(entry?.failure?.message).toMatch(message);
    expect(stats["scripted/one" as never]).toMatchObject({ accuracy: null, failuresByFault: { code: 1 } });
  },
);

test.each([
  [
    "throws as it loads",
    { loading: 'throw new Error("no data here");' },
    /^no data here \(at .*set-up\.eval/,
  ],
  [
    "takes too long to load",
    { loading: "for (;;);", seconds: 3 },
    /code did not load within 3 s; do less while it loads, or/,
  ],
  [
    "ends as it loads",
    { loading: "process.exit(0);" },
    /^while loading, the evaluation's code ended its process/,
  ],
  ["kills itself as it loads", { loading: 'process.kill(process.pid, "SIGKILL");' }, /exit code 137/],
  [
    "misses a variable",
    { building: 'if (!process.env.NO_SUCH_KEY) throw new Error("NO_SUCH_KEY is not set");' },
    /^NO_SUCH_KEY is not set/,
  ],
  [
    "misses a variable that is not passed on",
    { building: 'if (!process.env.SET_UP_KEY) throw new Error("SET_UP_KEY is not set");' },
    /; SET_UP_KEY is set but not passed on to runs: add `env: \["SET_UP_KEY"\]` to the evaluation$/,
  ],
  [
    "starts a process",
    { building: 'execFileSync("ls");' },
    /^a run may not start ls; add `permissions: \{ spawn: true \}`/,
  ],
  [
    "brings an MCP server that may not start",
    { tools: 'mcpTools({ command: "ls" })' },
    /^the MCP server "ls" was not started, .*; add `permissions: \{ spawn: true \}` to the evaluation/,
  ],
  ["reads a folder outside", { building: 'readFileSync("/etc/passwd");' }, /may not read \/etc\/passwd; add/],
])("a definition that %s is the code's fault, not the model's", async (_what, code, message) => {
  vi.stubEnv("SET_UP_KEY", "some");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { entry, stats } = await evaluateAs(code);
  expect(entry?.failure).toEqual({
    cause: "agent_error",
    fault: "code",
    message: expect.stringMatching(message),
  });
  expect(entry?.attempts).toHaveLength(1);
  expect(stats["scripted/one" as never]).toMatchObject({
    accuracy: null,
    failuresByFault: { model: 0, code: 1 },
  });
});

/** Both say what they find in the temp folder and leave something there, or take it away again. */
const leaving = (isKept: boolean) => `
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineEvaluation } from "agent-evaluator";
const look = () => {
  const found = readdirSync(tmpdir());
  mkdirSync(join(tmpdir(), "left"), { recursive: true });
  writeFileSync(join(tmpdir(), "left/file"), "x");
  if (!${isKept}) rmSync(join(tmpdir(), "left"), { recursive: true });
  return found.join();
};
export default defineEvaluation({
  name: "leaving",
  models: [["scripted", "one"]],
  problems: ["a", "b", "c"],
  concurrency: 1,
  isolation: "pool",
  buildAgent: () => () => ({ found: look(), pid: process.pid }),
  resultChecker: () => ({ correct: true, reason: \`found:\${look()}\` }),
});`;

test.each([
  ["is not reused after a task that left files in its temp folder", true, 3],
  ["is reused after a task that left none", false, 1],
])("a process %s, and no task finds or pays for those of another", async (_what, isKept, processes) => {
  const file = join(aProject({ "leaving.eval.ts": leaving(isKept) }), "leaving.eval.ts");
  const store = memoryStore();
  const { record } = await runEvaluation({ ...(await loadDefinition(file)), file, store });
  const entries = await Array.fromAsync(store.entries(record.id));
  const pids = new Set<unknown>();
  for (const { result, reason } of entries) {
    expect(result).toEqual({ found: "", pid: expect.any(Number) });
    expect(reason).toBe("found:");
    pids.add(Object(result).pid);
  }
  expect(entries).toHaveLength(3);
  expect(pids.size).toBe(processes);
});
