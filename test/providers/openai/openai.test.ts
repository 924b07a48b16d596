import { describe, expect, test } from "vitest";
import type { ChatReply, Message, ToolSpec } from "../../../src/providers/provider.ts";
import { providerContract } from "../../contract/provider/provider.ts";
import { CITY_SCHEMA, IMAGE_ROUND, LOOKUP, PNG } from "../../contract/provider/requests.ts";
import { answerWithEvents, replyTo } from "../../fixtures/models/opened-provider.ts";

const answer = (output: readonly object[], more: object = {}) => ({
  ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", model: "gpt-4.1", output },
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  ...more,
});
const message = (...content: object[]) => ({
  ...{ id: "msg_1", type: "message", role: "assistant", status: "completed", content },
});
const text = (words: string) => message({ type: "output_text", text: words, annotations: [] });
const reasoning = {
  ...{ id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAAAsecret" },
};
const lookupCall = {
  ...{ id: "fc_1", type: "function_call", call_id: "call_1", name: "lookup", status: "completed" },
  arguments: '{"country":"France"}',
};

const opened = providerContract({
  providerKey: "openai",
  model: "gpt-4.1",
  variables: (url) => ({ OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `${url}/v1` }),
  signInWords: "OPENAI_API_KEY",
  inBody: {
    system: { input: [{ role: "developer", content: "You are terse." }, { role: "user" }] },
    toolSpec: {
      tools: [
        {
          ...{ type: "function", name: "lookup", description: "Looks a country up.", strict: true },
          parameters: LOOKUP.inputSchema,
        },
      ],
    },
    toolRound: {
      input: [
        { role: "user", content: "Capitals of France and Peru?" },
        { type: "function_call", call_id: "call_a", name: "lookup", arguments: '{"country":"France"}' },
        { type: "function_call_output", call_id: "call_a", output: "Paris" },
      ],
    },
    failedTool: {
      input: expect.arrayContaining([
        { type: "function_call_output", call_id: "call_b", output: "Error: no such country" },
      ]),
    },
    image: {
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is this?" },
            { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PNG}` },
          ],
        },
      ],
    },
    toolImage: {
      input: [
        { role: "user" },
        { type: "function_call" },
        {
          ...{ type: "function_call_output", call_id: "call_a" },
          output: [
            { type: "input_text", text: "A map:" },
            { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PNG}` },
          ],
        },
      ],
    },
    outputSchema: {
      text: { format: { type: "json_schema", name: "answer", strict: true, schema: CITY_SCHEMA } },
    },
    maxTokens: { max_output_tokens: 64 },
    temperature: { temperature: 0.5 },
    topP: { top_p: 0.5 },
    serviceTier: { service_tier: "flex" },
    stop: null,
    seed: null,
    reasoningEffort: null,
    toolChoice: {
      auto: { tool_choice: "auto" },
      required: { tool_choice: "required" },
      none: { tool_choice: "none" },
      lookup: { tool_choice: { type: "function", name: "lookup" } },
    },
  },
  answers: {
    usage: {
      body: answer([text("Paris")], {
        usage: {
          ...{ input_tokens: 100, output_tokens: 30, total_tokens: 130 },
          input_tokens_details: { cached_tokens: 40, cache_write_tokens: 20 },
          output_tokens_details: { reasoning_tokens: 10 },
        },
      }),
      usage: {
        ...{ inputTokens: 100, outputTokens: 30, cachedInputTokens: 40, reasoningTokens: 10 },
        cacheWriteTokens: 20,
      },
    },
    length: answer([text("Par")], {
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    }),
    refusal: answer([message({ type: "refusal", refusal: "I will not." })]),
    empty: answer([]),
  },
});

const generate = (given: object): Promise<ChatReply> => opened.provider.generate(opened.request(given));

describe("quirks", () => {
  test.each(["o4-mini", "gpt-5", "gpt-5-mini-2025-08-07", "gpt-5.1-codex", "ft:o4-mini:acme::1"])(
    "openai: the reasoning model %s gets no temperature",
    async (model) => {
      const body = await opened.bodyOf({ model, temperature: 0.5, reasoningEffort: "low" });
      expect(body).not.toHaveProperty("temperature");
      expect(body).toMatchObject({ reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"] });
    },
  );

  test.each(["gpt-4.1", "gpt-4o-mini", "gpt-5-chat-latest", "chatgpt-4o-latest"])(
    "openai: the model %s, which does not reason, is asked nothing about reasoning",
    async (model) => {
      const body = await opened.bodyOf({ model, temperature: 0.5, reasoningEffort: "low" });
      expect(body).toMatchObject({ temperature: 0.5 });
      expect(body).not.toHaveProperty("reasoning");
      expect(body).not.toHaveProperty("include");
    },
  );

  test.each([
    ["o3", "minimal", "low"],
    ["o3", "xhigh", "high"],
    ["gpt-5", "minimal", "minimal"],
    ["gpt-5", "none", "minimal"],
    ["gpt-5-pro", "low", "high"],
    ["gpt-5-codex", "minimal", "low"],
    ["gpt-5.1", "minimal", "low"],
    ["gpt-5.1", "none", "none"],
    ["gpt-5.1", "max", "high"],
    ["gpt-5.1-codex-max", "xhigh", "xhigh"],
    ["gpt-5.4-mini", "max", "xhigh"],
    ["gpt-5.5-pro", "low", "medium"],
    ["gpt-5.6-terra", "max", "max"],
  ] as const)("openai: %s is asked for %s effort as %s", async (model, reasoningEffort, said) => {
    expect(await opened.bodyOf({ model, reasoningEffort })).toHaveProperty("reasoning", { effort: said });
  });

  test("openai: a model that does not reason for this call takes a temperature", async () => {
    const request = { model: "gpt-5.4", temperature: 0.5 } as const;
    expect(await opened.bodyOf({ ...request, reasoningEffort: "none" })).toMatchObject({ temperature: 0.5 });
    expect(await opened.bodyOf(request)).not.toHaveProperty("temperature");
  });

  test("openai: a reply says what of its request was not sent as it was", async () => {
    const given = { model: "gpt-5.1", temperature: 0.5, reasoningEffort: "minimal", stop: ["END"] };
    opened.server.mock.on({}, { content: "Paris" });
    const { warnings } = await generate(given);
    expect(warnings).toEqual([
      'gpt-5.1 has no reasoning effort "minimal": it was asked for "low"',
      "gpt-5.1 does not accept temperature here: 0.5 was left out",
      "gpt-5.1 does not accept stop from this provider: it was left out",
    ]);
    const streamed = await Array.fromAsync(opened.provider.stream?.(opened.request(given as object)) ?? []);
    expect(streamed.at(-1)).toMatchObject({ reply: { warnings } });
    expect(await generate({})).not.toHaveProperty("warnings");
  });

  test("openai: an image of a tool that failed comes with a word about it", async () => {
    const messages = IMAGE_ROUND.map((each) => (each.role === "tool" ? { ...each, isError: true } : each));
    expect(await opened.bodyOf({ tools: [LOOKUP], messages })).toHaveProperty("input.2.output", [
      { type: "input_text", text: "Error:" },
      { type: "input_text", text: "A map:" },
      expect.objectContaining({ type: "input_image" }),
    ]);
  });

  test("openai: nothing is stored with the provider", async () => {
    expect(await opened.bodyOf({})).toMatchObject({ store: false });
  });

  test("openai: reasoning goes back unchanged with the tool's result", async () => {
    const model = "gpt-5-mini";
    opened.server.answerNext({ kind: "raw", body: answer([reasoning, lookupCall]) });
    const { content, toolCalls, opaque } = await generate({ model, tools: [LOOKUP] });
    expect(toolCalls).toEqual([{ id: "call_1", name: "lookup", input: { country: "France" } }]);
    const messages: Message[] = [
      { role: "user", content: "Capital of France?" },
      { role: "assistant", content, toolCalls, ...(opaque === undefined ? {} : { opaque }) },
      { role: "tool", toolCallId: "call_1", content: "Paris", isError: false },
    ];
    expect(await opened.bodyOf({ model, messages, tools: [LOOKUP] })).toMatchObject({
      input: [
        { role: "user" },
        reasoning,
        lookupCall,
        { type: "function_call_output", call_id: "call_1", output: "Paris" },
      ],
    });
  });

  test("openai: what another provider gave with its reply is not sent", async () => {
    const opaque = { kind: "someone-else", blocks: ["thinking"] };
    const messages: Message[] = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi", toolCalls: [], opaque },
      { role: "user", content: "Capital of France?" },
    ];
    expect(await opened.bodyOf({ messages })).toMatchObject({
      input: [{ role: "user" }, { role: "assistant", content: "Hi" }, { role: "user" }],
    });
  });

  test("openai: a tool with optional properties is sent as not strict", async () => {
    const inputSchema = { type: "object", properties: { country: { type: "string" } } };
    const tools: ToolSpec[] = [{ ...LOOKUP, inputSchema }];
    expect(await opened.bodyOf({ tools })).toMatchObject({
      tools: [{ strict: false, parameters: inputSchema }],
    });
  });

  test("openai: an assistant message without text sends no empty text", async () => {
    const messages: Message[] = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "", toolCalls: [] },
      { role: "user", content: "Are you there?" },
    ];
    expect(await opened.bodyOf({ messages })).toMatchObject({ input: [{ role: "user" }, { role: "user" }] });
  });

  test("openai: a refusal is told in its own words", async () => {
    const refusal = message({ type: "refusal", refusal: "I will not." });
    opened.server.answerNext({ kind: "raw", body: answer([refusal]) });
    expect(await generate({})).toMatchObject({ content: "I will not.", finishReason: "refusal" });
  });

  test("openai: a reply that the content filter cut is a refusal", async () => {
    const more = { status: "incomplete", incomplete_details: { reason: "content_filter" } };
    opened.server.answerNext({ kind: "raw", body: answer([text("Par")], more) });
    expect(await generate({})).toMatchObject({ finishReason: "refusal" });
  });

  test.each([
    ["server_error", { code: "provider_error", retryable: true }],
    ["rate_limit_exceeded", { code: "rate_limited", retryable: true }],
    ["invalid_prompt", { code: "provider_error", retryable: false }],
  ])("openai: %s within an answer is a failed call", async (code, expected) => {
    const more = { status: "failed", error: { code, message: "it went wrong" } };
    opened.server.answerNext({ kind: "raw", body: answer([], more) });
    await expect(generate({})).rejects.toMatchObject(expected);
  });

  test("openai: a used-up quota is not waited for, although it is a 429", async () => {
    const error = { message: "You exceeded your current quota", code: "insufficient_quota" };
    opened.server.answerNext({ kind: "raw", status: 429, body: { error } });
    await expect(generate({})).rejects.toMatchObject({ code: "provider_error", retryable: false });
  });

  test("openai: a used-up quota within a stream is not waited for", async () => {
    const error = { type: "insufficient_quota", code: "insufficient_quota", message: "You exceeded it" };
    answerWithEvents(opened, { type: "response.created", response: {} }, { type: "error", error });
    const failed = await replyTo(opened, { stream: true }).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: "provider_error", retryable: false });
  });

  test("openai: retry-after-ms counts before Retry-After", async () => {
    const headers = { "retry-after-ms": "1500", "retry-after": "2" };
    opened.server.answerNext({
      kind: "raw",
      status: 429,
      headers,
      body: { error: { message: "slow down" } },
    });
    await expect(generate({})).rejects.toMatchObject({ code: "rate_limited", waitMs: 1500 });
  });

  test("openai: arguments that are no JSON reach the tool as text", async () => {
    const broken = { ...lookupCall, arguments: '{"country":' };
    opened.server.answerNext({ kind: "raw", body: answer([broken]) });
    expect((await generate({ tools: [LOOKUP] })).toolCalls).toMatchObject([{ input: '{"country":' }]);
  });

  test("openai: the key goes along as a bearer token", async () => {
    await opened.bodyOf({});
    expect(opened.server.last).toMatchObject({
      path: "/v1/responses",
      headers: { authorization: "Bearer sk-test" },
    });
  });
});
