import { join } from "node:path";
import { expect, test } from "vitest";
import { problems } from "../evals/shop.ts";
import type { EvaluationOptions, LogEntry } from "../src/index.ts";
import { KEYS } from "./fixtures/gateway/open-gateway.ts";
import { startedModelServer } from "./fixtures/models/started-model-server.ts";
import { type FileRun, runFile } from "./fixtures/run/run-file.ts";

const models = startedModelServer();

const run = (name: string, options: Partial<EvaluationOptions> = {}): Promise<FileRun> =>
  runFile(join(import.meta.dirname, "../evals", name), options);

/** Other counts for every call, in the words of every protocol. */
const usageOf = (call: number) => ({
  ...{ prompt_tokens: 100 + call, completion_tokens: 10 + 3 * call },
  ...{ input_tokens: 100 + call, output_tokens: 10 + 3 * call },
});

const ITEMS = { lamps: ["lamp"], chairs: ["chair", "lamp"], table: ["table"] };

/** A model that looks prices up before it answers, if it has the tool. */
function answerAll({ withTool }: { withTool: boolean }): void {
  problems.forEach(({ id, problem: userMessage, expected }, index) => {
    const items = ITEMS[id as keyof typeof ITEMS];
    const toolCalls = items.map((item) => ({ name: "price_of", arguments: JSON.stringify({ item }) }));
    const answered = { content: `That is $${expected}.`, usage: usageOf(2 * index) };
    models.server.mock.on({ userMessage, ...(withTool ? { hasToolResult: true } : {}) }, answered);
    if (withTool) models.server.mock.on({ userMessage }, { toolCalls, usage: usageOf(2 * index + 1) });
  });
}

/** The tokens of one problem as the server replied them. */
function journalOf({ problem }: LogEntry): { inputTokens: number; outputTokens: number; calls: number } {
  const calls = models.server.mock
    .getRequests()
    .filter(({ body }) => JSON.stringify(body).includes(String(problem)));
  const total = { inputTokens: 0, outputTokens: 0, calls: calls.length };
  for (const { response } of calls) {
    const { prompt_tokens, completion_tokens } = Object(response.fixture?.response).usage;
    total.inputTokens += prompt_tokens;
    total.outputTokens += completion_tokens;
  }
  return total;
}

const EXAMPLES = [
  { name: "vercel-ai-sdk", path: "/v1/responses", withTool: true, streams: false },
  { name: "openai-agents", path: "/v1/responses", withTool: true, streams: false },
  { name: "anthropic-sdk", path: "/v1/messages", withTool: true, streams: true },
  { name: "plain-fetch", path: "/v1/chat/completions", withTool: false, streams: false },
];

test.each(EXAMPLES)("$name uses as many tokens as the server's journal says", async (example) => {
  answerAll(example);
  const { logs } = await run(example.name);
  expect(logs).toHaveLength(problems.length);
  for (const entry of logs) {
    const { calls, ...usage } = journalOf(entry);
    expect(calls).toBe(example.withTool ? 2 : 1);
    expect(entry).toMatchObject({ correct: true, failure: null, turns: calls, usage });
    expect([entry.stdout.head, entry.stderr.head]).toEqual(["", ""]);
  }
  const key = example.name === "anthropic-sdk" ? KEYS.ANTHROPIC_API_KEY : `Bearer ${KEYS.OPENAI_API_KEY}`;
  for (const { path, headers, body } of models.server.sent) {
    expect([path, body.stream ?? false]).toEqual([example.path, example.streams]);
    expect(Object.values(headers)).toContain(key);
  }
});

test.each(EXAMPLES)("$name does not try again what the gateway gave up", async ({ name }) => {
  for (const _problem of problems)
    models.server.answerNext({ kind: "raw", status: 503, body: { error: { message: "no room" } } });
  const { logs } = await run(name, { limits: { maxWaitSeconds: 0 } });
  const message = expect.stringMatching(/answered 503: no room; .*limits\.maxWaitSeconds/);
  for (const { failure } of logs) expect(failure).toMatchObject({ cause: "provider_error", message });
  expect(models.server.sent).toHaveLength(problems.length);
});
