import { expect, test } from "vitest";
import { AgentEvaluator, judge } from "../../../src/index.ts";
import { startedModelServer } from "../../fixtures/models/started-model-server.ts";
import { inProcess } from "../../fixtures/run/in-process-options.ts";

const started = startedModelServer();

const evaluate = (changes: Parameters<typeof inProcess>[0]) =>
  new AgentEvaluator(inProcess({ models: [["openai", "gpt-4.1"]], ...changes })).evaluate();

const sentBodies = () => started.server.sent.map(({ body }) => body);

test("a call goes with the options of its provider, those of its model, and what it says itself", async () => {
  started.server.mock.on({}, { content: "Lima" });
  const { logs, stats } = await evaluate({
    buildAgent: (provider, model) => async () =>
      (await provider.generate({ model, maxTokens: 9, messages: [{ role: "user", content: "?" }] })).content,
    modelOptions: {
      openai: { temperature: 1, topP: 0.5, maxTokens: 7, headers: { "x-team": "a", "x-job": "a" } },
      "openai/gpt-4.1": { temperature: 0, serviceTier: "flex", headers: { "x-job": "b" } },
      "openai/gpt-4o": { temperature: 0.25 },
      anthropic: { topP: 0.1 },
    },
  });
  expect(stats["openai/gpt-4.1" as keyof typeof stats]?.finished).toBe(1);
  expect(logs[0]?.failure ?? null).toBeNull();
  expect(sentBodies()).toMatchObject([
    { temperature: 0, top_p: 0.5, max_output_tokens: 9, service_tier: "flex" },
  ]);
  expect(started.server.last.headers).toMatchObject({ "x-team": "a", "x-job": "b" });
});

test("further fields are merged into what is sent, and lists joined", async () => {
  started.server.mock.on({}, { content: "Lima" });
  await evaluate({
    models: [["openai", "gpt-5-mini"]],
    modelOptions: {
      openai: { body: { metadata: { team: "a" }, include: ["message.output_text.logprobs"] } },
      "openai/gpt-5-mini": {
        reasoningEffort: "low",
        body: { metadata: { job: "b" }, reasoning: { summary: "auto" } },
      },
    },
  });
  expect(sentBodies()).toMatchObject([
    {
      metadata: { team: "a", job: "b" },
      include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
      reasoning: { effort: "low", summary: "auto" },
    },
  ]);
});

test("a judge is called with the options of its model, too", async () => {
  started.server.mock.on({}, { content: '{"correct":true,"score":1,"reason":"Right."}' });
  await evaluate({
    models: [["scripted", "one"]],
    resultChecker: judge({ provider: "openai", model: "gpt-4.1", rubric: "Is it Lima?" }),
    modelOptions: { "openai/gpt-4.1": { temperature: 0 } },
  });
  expect(sentBodies()).toMatchObject([{ temperature: 0 }]);
});

test("a base URL is enough for a server of one's own, and wins over the environment's", async () => {
  started.server.mock.on({}, { content: "Lima" });
  const { logs } = await evaluate({
    models: [
      ["openai-compatible:mine", "m"],
      ["openai", "gpt-4.1"],
    ],
    modelOptions: {
      "openai-compatible:mine": { baseUrl: `${started.server.url}/mine/v1` },
      openai: { baseUrl: `${started.server.url}/other/v1` },
    },
  });
  expect(logs.length).toBe(2);
  expect(started.server.sent.map(({ path }) => path).toSorted()).toEqual([
    "/mine/v1/chat/completions",
    "/other/v1/responses",
  ]);
});

test.each([
  [{ opnai: {} }, 'modelOptions["opnai"]: unknown provider "opnai"'],
  [
    { "openai/gpt-4.1": { baseUrl: "https://example.com" } },
    'modelOptions["openai/gpt-4.1"].baseUrl: it belongs to the provider, not to one model; set it under "openai"',
  ],
  [{ openai: { baseUrl: "file:///etc" } }, "expected a URL with http or https"],
  [
    { openai: { body: { model: "gpt-5-pro" } } },
    "modelOptions.openai.body: expected fields that the agent does not set itself",
  ],
  [{ openai: { temprature: 1 } }, 'unknown option "temprature"; the options are: maxTokens'],
] as const)("options that no call can have are refused: %j", async (modelOptions, why) => {
  await expect(evaluate({ modelOptions } as Parameters<typeof inProcess>[0])).rejects.toThrow(why);
});
