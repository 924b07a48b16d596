import { encodeEventStreamFrame, encodeEventStreamMessage } from "@copilotkit/aimock";
import { describe, expect, test } from "vitest";
import type { Message } from "../../../src/providers/provider.ts";
import { providerContract } from "../../contract/provider/provider.ts";
import { CITY_SCHEMA, IMAGE_ROUND, LOOKUP, TOOL_ROUND } from "../../contract/provider/requests.ts";
import { replyTo } from "../../fixtures/models/opened-provider.ts";
import { BEDROCK, bedrockAnswer, stubAccount } from "./wire.ts";

stubAccount();
const opened = providerContract(BEDROCK);

describe("messages", () => {
  test("all results of one round and what the user says next are one user message", async () => {
    const body = await opened.bodyOf({ messages: [...TOOL_ROUND, { role: "user", content: "Go on." }] });
    expect(body).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant" },
        { role: "user", content: [{ toolResult: {} }, { toolResult: {} }, { text: "Go on." }] },
      ],
    });
  });

  test("blank text and an empty assistant message are left out, and an empty result says so", async () => {
    const messages: Message[] = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: " ", toolCalls: [] },
      ...TOOL_ROUND.slice(0, 2),
      { role: "tool", toolCallId: "call_a", content: "", isError: false },
    ];
    expect(await opened.bodyOf({ messages })).toMatchObject({
      messages: [
        { role: "user", content: [{ text: "Hello" }, { text: "Capitals of France and Peru?" }] },
        { role: "assistant", content: [{ toolUse: {} }, { toolUse: {} }] },
        { role: "user", content: [{ toolResult: { content: [{ text: "(empty)" }] } }] },
      ],
    });
  });

  test("calls in the history come with the tools that were called, also when none may be called", async () => {
    const tools = [{ toolSpec: { name: "lookup", inputSchema: { json: { type: "object" } } } }];
    const body = await opened.bodyOf({ messages: TOOL_ROUND });
    expect(body).toHaveProperty("toolConfig", { tools });
    const forbidden = await opened.bodyOf({ messages: TOOL_ROUND, tools: [LOOKUP], toolChoice: "none" });
    expect(forbidden).toMatchObject({ toolConfig: { tools: [{ toolSpec: { name: "lookup" } }] } });
    expect(forbidden).not.toHaveProperty("toolConfig.toolChoice");
  });

  test("an image that a tool gave is left out for models that take none there, and a warning says so", async () => {
    const model = "us.meta.llama4-maverick-17b-instruct-v1:0";
    opened.server.answerNext({ kind: "raw", body: bedrockAnswer([{ text: "Paris" }], "end_turn") });
    const { warnings } = await replyTo(opened, { model, tools: [LOOKUP], messages: IMAGE_ROUND });
    const text = "A map:\n[image image/png]";
    expect(opened.server.sent.at(-1)?.body).toMatchObject({
      messages: [{}, {}, { content: [{ toolResult: { content: [{ text }] } }] }],
    });
    expect(warnings).toEqual([`${model} does not accept images from tools: they were left out`]);
  });

  test.each([
    ["anthropic.claude-3-5-haiku-20241022-v1:0"],
    ["eu.amazon.nova-pro-v1:0"],
    ["us.meta.llama4-maverick-17b-instruct-v1:0"],
  ])("%s, which knows no schemas, is told the schema in words", async (model) => {
    const body = await opened.bodyOf({ model, outputSchema: CITY_SCHEMA });
    expect(body).toHaveProperty("system.0.text", expect.stringContaining(JSON.stringify(CITY_SCHEMA)));
    expect(body).not.toHaveProperty("outputConfig");
  });
});

describe("replies", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool_calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["content_filtered", "refusal"],
    ["guardrail_intervened", "refusal"],
    ["malformed_tool_use", "other"],
  ])("the stop reason %s is %s", async (stopReason, finishReason) => {
    opened.server.answerNext({ kind: "raw", body: bedrockAnswer([{ text: "Paris" }], stopReason) });
    expect(await replyTo(opened)).toMatchObject({ finishReason });
  });

  test("the id is that of the request in the account's logs", async () => {
    const headers = { "x-amzn-requestid": "11-22" };
    opened.server.answerNext({ kind: "raw", headers, body: bedrockAnswer([], "end_turn") });
    expect(await replyTo(opened)).toMatchObject({ id: "11-22" });
  });
});

describe("failures", () => {
  test.each([
    ["ThrottlingException", 429, { code: "rate_limited", retryable: true }],
    ["ModelNotReadyException", 429, { code: "rate_limited", retryable: true }],
    ["ModelTimeoutException", 408, { code: "provider_error", retryable: true }],
    ["ModelErrorException", 424, { code: "provider_error", retryable: true }],
    ["ServiceUnavailableException", 503, { code: "provider_error", retryable: true }],
    ["ServiceQuotaExceededException", 400, { code: "provider_error", retryable: false }],
    ["ValidationException", 400, { code: "provider_error", retryable: false }],
    ["ResourceNotFoundException", 404, { code: "provider_error", retryable: false }],
    ["AccessDeniedException", 403, { code: "provider_error", retryable: false }],
  ] as const)("%s (%i) becomes what it means for the next try", async (name, status, expected) => {
    const headers = { "x-amzn-errortype": name };
    opened.server.answerNext({ kind: "raw", status, headers, body: { message: "no" } });
    const failure = replyTo(opened);
    await expect(failure).rejects.toMatchObject(expected);
    await expect(failure).rejects.toThrow(`${name}: no`);
    expect(opened.server.sent).toHaveLength(1);
  });
});

describe("streams", () => {
  test.each([
    ["throttlingException", { code: "rate_limited", retryable: true }],
    ["modelStreamErrorException", { code: "provider_error", retryable: true }],
    ["validationException", { code: "provider_error", retryable: false }],
  ] as const)("the event %s ends a stream with what it means", async (name, expected) => {
    answerWithEvents([
      encodeEventStreamMessage("messageStart", { role: "assistant" }),
      exceptionEvent(name, { message: "no more" }),
    ]);
    const failure = replyTo(opened, { stream: true });
    await expect(failure).rejects.toMatchObject(expected);
    await expect(failure).rejects.toThrow("no more");
  });

  test("encrypted and signed reasoning is put together", async () => {
    const delta = (contentBlockIndex: number, reasoningContent: object) =>
      encodeEventStreamMessage("contentBlockDelta", { contentBlockIndex, delta: { reasoningContent } });
    answerWithEvents([
      delta(0, { redactedContent: "ZW5jcnlwdGVk" }),
      delta(1, { text: "France? " }),
      delta(1, { text: "Paris." }),
      delta(1, { signature: "c2lnbmVk" }),
      encodeEventStreamMessage("messageStop", { stopReason: "end_turn" }),
      encodeEventStreamMessage("metadata", {
        usage: { inputTokens: 1, outputTokens: 2, cacheReadInputTokens: 3 },
      }),
    ]);
    const reply = await replyTo(opened, { stream: true });
    expect(reply).toMatchObject({
      content: "",
      usage: { inputTokens: 4, outputTokens: 2, cachedInputTokens: 3 },
    });
    expect(reply.opaque).toEqual({
      kind: "bedrock",
      blocks: [
        { reasoningContent: { redactedContent: "ZW5jcnlwdGVk" } },
        { reasoningContent: { reasoningText: { text: "France? Paris.", signature: "c2lnbmVk" } } },
      ],
    });
  });
});

test("a request is signed with the account's credentials", async () => {
  await opened.bodyOf({});
  const { path, headers } = opened.server.last;
  expect(path).toBe("/model/eu.anthropic.claude-haiku-4-5-20251001-v1%3A0/converse");
  expect(headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d+\/eu-west-1\/bedrock\//,
  );
});

const exceptionEvent = (name: string, payload: object) =>
  encodeEventStreamFrame(
    { ":message-type": "exception", ":exception-type": name, ":content-type": "application/json" },
    Buffer.from(JSON.stringify(payload)),
  );

function answerWithEvents(frames: readonly Buffer[]): void {
  const headers = { "content-type": "application/vnd.amazon.eventstream" };
  opened.server.answerNext({ kind: "raw", headers, body: Buffer.concat(frames) });
}
