import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { transcriptLines } from "../../src/cli/pages/run-page.ts";
import {
  AgentEvaluator,
  type EvaluationOptions,
  type LogEntry,
  type TranscriptStep,
} from "../../src/index.ts";
import { ModelServer } from "../fixtures/models/model-server.ts";
import { inProcess } from "../fixtures/run/in-process-options.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await ModelServer.start();
});
beforeEach(() => {
  server.reset();
  vi.stubEnv("LOCAL_BASE_URL", `${server.url}/v1`);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => server.stop());

/** One run of an agent that asks a model on loopback once. */
async function runOnce(
  request: { stream?: boolean } = {},
  changes: Partial<EvaluationOptions> = {},
): Promise<{ entry: LogEntry; call: Extract<TranscriptStep, { kind: "model_call" }> }> {
  const evaluator = new AgentEvaluator(
    inProcess({
      models: [["openai-compatible:local", "small"]],
      buildAgent: (provider, model, _tools, problem) => async () => {
        const messages = [{ role: "user" as const, content: String(problem) }];
        return (await provider.generate({ model, messages, ...request })).content;
      },
      ...changes,
    }),
  );
  const { logs } = await evaluator.evaluate();
  const [entry] = logs;
  if (entry === undefined) throw new Error("no entry");
  const [call] = (await evaluator.loadBody(entry)).transcript;
  if (call?.kind !== "model_call") throw new Error("no model call");
  return { entry, call };
}

const refuse = (headers: Record<string, string> = {}) =>
  server.answerNext({ kind: "raw", status: 429, headers, body: { error: { message: "too many requests" } } });

test("a streamed call leaves the time to its first token in the transcript", async () => {
  server.mock.on({}, { content: "Lima" });
  const { entry, call } = await runOnce({ stream: true });
  expect(entry).toMatchObject({ correct: true, failure: null });
  expect(server.last.body).toMatchObject({ stream: true });
  expect(call.firstTokenMs).toBeLessThanOrEqual(call.latencyMs);
  expect(JSON.stringify(transcriptLines([call], 80))).toContain(", first token ");
});

test("a call that is not streamed has no first token", async () => {
  server.mock.on({}, { content: "Lima" });
  expect((await runOnce()).call).not.toHaveProperty("firstTokenMs");
});

test("a wait that the provider asks for is kept apart from the runtime and the latency", async () => {
  server.mock.on({}, { content: "Lima" });
  refuse({ "retry-after": "1.5" });
  const { entry, call } = await runOnce();
  expect(entry).toMatchObject({ correct: true, failure: null, turns: 1 });
  expect(entry.waitSeconds).toBeGreaterThanOrEqual(1.49);
  const totalMs = Date.parse(entry.endedAt) - Date.parse(entry.startedAt);
  expect(entry.runtimeSeconds).toBeLessThanOrEqual(totalMs / 1_000 - 1.4);
  expect(call).toMatchObject({ retries: 1, error: null });
  expect(call.latencyMs / 1_000).toBeLessThanOrEqual(entry.runtimeSeconds);
});

test("a wait longer than the run may wait ends the run as rate limited, at once", async () => {
  refuse({ "retry-after": "30" });
  const { entry, call } = await runOnce({}, { limits: { maxWaitSeconds: 29 } });
  expect(entry.failure).toMatchObject({ cause: "rate_limited", fault: "infrastructure" });
  expect(entry.failure?.message).toMatch(/answered 429.*limits\.maxWaitSeconds/);
  // A busy machine may take a moment for the call's turn.
  expect(entry.waitSeconds).toBeLessThan(29);
  expect([call.retries, server.sent.length]).toEqual([0, 1]);
});

test("a call that fails for good leaves how often it was retried", async () => {
  refuse({ "retry-after-ms": "1" });
  server.answerNext({ kind: "raw", status: 400, body: { error: { message: "no such model" } } });
  const { entry, call } = await runOnce();
  expect(entry.failure?.cause).toBe("provider_error");
  expect(call).toMatchObject({ retries: 1, reply: null, error: expect.stringContaining("no such model") });
});

test("a reply that does not say what it used makes the cost unknown, not nothing", async () => {
  const message = { role: "assistant", content: "Lima" };
  const body = { id: "1", model: "small", choices: [{ index: 0, message, finish_reason: "stop" }] };
  server.answerNext({ kind: "raw", body });
  const prices = { "openai-compatible:local/small": { input: 1, output: 1 } };
  const { entry } = await runOnce({}, { prices });
  expect(entry).toMatchObject({ correct: true, usage: null, costUsd: null });
});

test("a limit that is found is told of", async () => {
  server.mock.on({}, { content: "Lima" });
  for (let call = 0; call < 4; call++) refuse({ "retry-after-ms": "1" });
  const limits: unknown[] = [];
  const { runEvaluation } = await import("../../src/local/run-evaluation.ts");
  const { memoryStore } = await import("../../src/store/memory/memory-store.ts");
  const { stats } = await runEvaluation({
    options: inProcess({ models: [["openai-compatible:local", "small"]], trials: 5, concurrency: 5 }),
    bundle: null,
    file: null,
    store: memoryStore(),
    listener: { limited: (...told) => void limits.push(told) },
  });
  expect(Object.values(stats)[0]).toMatchObject({ finished: 5, correct: 5 });
  expect(limits[0]).toEqual(["openai-compatible:local", expect.any(Number)]);
});
