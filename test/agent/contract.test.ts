import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { Agent, AgentStep, RunContext } from "../../src/agent/agent.ts";
import { AgentEvaluator } from "../../src/agent-evaluator.ts";
import type { EvaluationOptions } from "../../src/engine/definition/definition.ts";

/** One run of this agent in this process, with its transcript. */
async function run(agent: Agent, options: Partial<EvaluationOptions> = {}) {
  const evaluator = new AgentEvaluator({
    models: [["scripted", "m"]],
    problems: [{ id: "p", problem: { city: "Lima" } }],
    buildAgent: () => agent,
    resultChecker: () => true,
    isolation: "none",
    store: false,
    ...options,
  });
  const { logs } = await evaluator.evaluate();
  const [entry] = logs;
  if (entry === undefined) throw new Error("the run left no entry");
  return { entry, transcript: (await evaluator.loadBody(entry)).transcript };
}

test.each<[string, Agent]>([
  ["a plain function", () => "done"],
  ["an async function", async () => "done"],
  ["an object with run", { run: async () => "done" }],
  [
    "an instance that needs itself",
    new (class {
      readonly answer = "done";
      run() {
        return this.answer;
      }
    })(),
  ],
])("%s is an agent", async (_, agent) => {
  const { entry } = await run(agent);
  expect(entry).toMatchObject({ result: "done", correct: true, failure: null });
});

test("a run knows its own facts", async () => {
  const { entry } = await run((context: RunContext) => {
    const { signal, emit: _, reportUsage: __, tempFolder, ...facts } = context;
    return { ...facts, isAborted: signal.aborted, hasFolder: existsSync(tempFolder) };
  });
  expect(entry.result).toEqual({
    runId: entry.runId,
    gateway: null,
    providerKey: "scripted",
    model: "m",
    problemId: "p",
    problem: { city: "Lima" },
    trial: 1,
    isAborted: false,
    hasFolder: true,
  });
});

test("what a run emits is its transcript, and what it reports is its usage", async () => {
  const { entry, transcript } = await run(({ emit, reportUsage }) => {
    emit({ kind: "note", text: "began", data: { at: 1 } });
    emit({ kind: "tool_call", id: "1", tool: "look", input: {} });
    emit({ kind: "tool_result", id: "1", tool: "look", output: ["a"], isError: false });
    reportUsage({ inputTokens: 10, outputTokens: 2 });
    reportUsage({ outputTokens: 3, reasoningTokens: 1 });
    return 1;
  });
  expect(transcript.map(({ kind }) => kind)).toEqual(["note", "tool_call", "tool_result"]);
  expect(entry.usage).toEqual({ inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, reasoningTokens: 1 });
});

const unstorable = { kind: "note", text: "x", data: 1n } as unknown as AgentStep;
const unknown = { kind: "thought", text: "x" } as unknown as AgentStep;
const half = { kind: "tool_call", id: "1", input: {} } as unknown as AgentStep;

test.each<[string, Agent, string]>([
  [
    "a step that no JSON holds",
    ({ emit }) => emit(unstorable),
    "cannot be kept as JSON: a BigInt at step.data",
  ],
  ["a step of an unknown kind", ({ emit }) => emit(unknown), 'unknown kind of step "thought"; the kinds are'],
  ["half a step", ({ emit }) => emit(half), "a tool_call needs the field tool (string)"],
  [
    "usage that is no count",
    ({ reportUsage }) => reportUsage({ inputTokens: Number.NaN }),
    "inputTokens is NaN; expected a whole number from 0",
  ],
])("%s is refused where it is told", async (_, agent, message) => {
  const { entry } = await run(agent);
  expect(entry.failure).toMatchObject({ cause: "agent_error", message: expect.stringContaining(message) });
});

test("tools that a source opens reach the agent and are closed with the run", async () => {
  const happened: string[] = [];
  const source = {
    name: "source",
    async open() {
      happened.push("opened");
      const tool = { name: "look", description: "", inputSchema: {}, run: () => "seen" };
      return { tools: [tool], close: async () => void happened.push("closed") };
    },
  };
  const { entry } = await run(() => "", {
    tools: [source],
    buildAgent: (_provider, _model, tools) => (context) => tools[0]?.run({}, context),
  });
  expect(entry.result).toBe("seen");
  await run(() => Promise.reject(new Error("broken")), { tools: [source] });
  expect(happened).toEqual(["opened", "closed", "opened", "closed"]);
});

test("a source that does not open fails the run, and what was open is closed", async () => {
  const closed: string[] = [];
  const good = {
    name: "good",
    open: async () => ({ tools: [], close: async () => void closed.push("good") }),
  };
  const bad = { name: "bad", open: () => Promise.reject(new Error("the server is away")) };
  const { entry } = await run(() => 1, { tools: [good, bad] });
  expect(entry.failure).toMatchObject({ cause: "agent_error", message: "the server is away" });
  expect(closed).toEqual(["good"]);
});

test("what is neither a tool nor a source of tools is refused up front", async () => {
  const tools = [{ name: "look" }] as unknown as EvaluationOptions["tools"];
  await expect(run(() => 1, { tools: tools ?? [] })).rejects.toThrow("tools[0]: expected a tool");
});
