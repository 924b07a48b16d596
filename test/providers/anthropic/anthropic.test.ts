import { describe, expect, test } from "vitest";
import type { Message } from "../../../src/providers/provider.ts";
import { providerContract } from "../../contract/provider/provider.ts";
import { CITY_SCHEMA, PNG, TOOL_ROUND } from "../../contract/provider/requests.ts";
import { replyTo } from "../../fixtures/models/opened-provider.ts";
import { ANTHROPIC, anthropicAnswer, text } from "./wire.ts";

const opened = providerContract(ANTHROPIC);

describe("messages", () => {
  test("all results of one round and what the user says next are one user message", async () => {
    const body = await opened.bodyOf({ messages: [...TOOL_ROUND, { role: "user", content: "Go on." }] });
    expect(body).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant" },
        { role: "user", content: [{ type: "tool_result" }, { type: "tool_result" }, text("Go on.")] },
      ],
    });
  });

  test("an empty assistant message and blank text are left out", async () => {
    const messages: Message[] = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: " ", toolCalls: [] },
      { role: "user", content: "Are you there?" },
    ];
    const body = await opened.bodyOf({ messages });
    expect(body).toMatchObject({ messages: [{ content: [text("Hello"), text("Are you there?")] }] });
  });

  test("an empty tool result has no content", async () => {
    const messages: Message[] = [
      ...TOOL_ROUND.slice(0, 2),
      { role: "tool", toolCallId: "call_a", content: "", isError: false },
    ];
    const body = await opened.bodyOf({ messages });
    expect(body).toHaveProperty("messages.2.content", [{ type: "tool_result", tool_use_id: "call_a" }]);
  });

  test("a tool call whose input is no object goes back as one", async () => {
    const toolCalls = [{ id: "call_a", name: "lookup", input: "{oops" }];
    const messages: Message[] = [{ role: "assistant", content: "", toolCalls }];
    const body = await opened.bodyOf({ messages });
    expect(body).toMatchObject({ messages: [{ content: [{ input: { input: "{oops" } }] }] });
  });

  test("several system messages become one system parameter", async () => {
    const messages: Message[] = [
      { role: "system", content: "You are terse." },
      { role: "user", content: "Hello" },
      { role: "system", content: "And kind." },
    ];
    expect(await opened.bodyOf({ messages })).toMatchObject({ system: "You are terse.\n\nAnd kind." });
  });

  test("an image that no Claude reads is refused before anything is sent", async () => {
    const content = [{ kind: "image" as const, mediaType: "image/tiff", base64: PNG }];
    const call = opened.provider.generate(opened.request({ messages: [{ role: "user", content }] }));
    await expect(call).rejects.toMatchObject({ code: "provider_error", retryable: false });
    expect(opened.server.sent).toEqual([]);
  });
});

describe("an output schema", () => {
  test("is sent closed and without limits that the API does not know", async () => {
    const outputSchema = { type: "object", properties: { age: { type: "integer", minimum: 3 } } };
    expect(await opened.bodyOf({ outputSchema })).toHaveProperty("output_config.format.schema", {
      type: "object",
      additionalProperties: false,
      properties: { age: { type: "integer", description: "{minimum: 3}" } },
    });
  });

  test.each([
    ["an older model", "claude-sonnet-4-20250514", CITY_SCHEMA],
    [
      "keys that are not known beforehand",
      "claude-haiku-4-5",
      { type: "object", additionalProperties: true },
    ],
    ["a shape of any type", "claude-haiku-4-5", {}],
  ])("is told in words with %s", async (_why, model, outputSchema) => {
    const body = await opened.bodyOf({ model, outputSchema });
    expect(body).toMatchObject({ system: expect.stringContaining(JSON.stringify(outputSchema)) });
    expect(body).not.toHaveProperty("output_config");
  });
});

describe("replies", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool_calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "other"],
    ["something_new", "other"],
  ])("the stop reason %s is %s", async (stop_reason, finishReason) => {
    opened.server.answerNext({ kind: "raw", body: anthropicAnswer([text("Paris")], stop_reason) });
    expect(await replyTo(opened)).toMatchObject({ finishReason, id: "msg_1" });
  });

  test("a refusal without text says why", async () => {
    const stop_details = { type: "refusal", category: "cyber", explanation: "That could do harm." };
    opened.server.answerNext({ kind: "raw", body: anthropicAnswer([], "refusal", { stop_details }) });
    const reply = await replyTo(opened);
    expect(reply).toMatchObject({ finishReason: "refusal", content: "That could do harm." });
  });

  test("a stream that ends with an overloaded event may be tried again", async () => {
    await expect(failedStream("overloaded_error")).rejects.toMatchObject({ retryable: true });
    await expect(failedStream("invalid_request_error")).rejects.toMatchObject({ retryable: false });
    await expect(failedStream("rate_limit_error")).rejects.toMatchObject({ code: "rate_limited" });
  });

  test("a stream's counts are those of its last event, and kept where that has none", async () => {
    const events = [
      {
        type: "message_start",
        message: { id: "msg_1", usage: { input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 1 } },
      },
      { type: "something_new" },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { input_tokens: null, output_tokens: 9 },
      },
      { type: "message_stop" },
    ];
    answerWithEvents(events);
    const usage = { inputTokens: 12, outputTokens: 9, cachedInputTokens: 7, reasoningTokens: 0 };
    expect(await replyTo(opened, { stream: true })).toMatchObject({ content: "", usage });
  });
});

test("the key is sent as the SDK sends it, to the base URL", async () => {
  await opened.bodyOf({});
  expect(opened.server.last.path).toBe("/v1/messages");
  expect(opened.server.last.headers).toMatchObject({ authorization: "Bearer a-key" });
});

function failedStream(type: string) {
  answerWithEvents([{ type: "error", error: { type, message: "no" } }]);
  return replyTo(opened, { stream: true });
}

function answerWithEvents(
  events: readonly { readonly type: string; readonly [field: string]: unknown }[],
): void {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  opened.server.answerNext({ kind: "raw", headers: { "content-type": "text/event-stream" }, body });
}
