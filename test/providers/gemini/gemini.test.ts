import { describe, expect, test } from "vitest";
import type { Message } from "../../../src/providers/provider.ts";
import { providerContract } from "../../contract/provider/provider.ts";
import { CITY_SCHEMA, IMAGE_ROUND, LOOKUP, PNG, TOOL_ROUND } from "../../contract/provider/requests.ts";
import { replyTo } from "../../fixtures/models/opened-provider.ts";
import { GEMINI, geminiAnswer } from "./wire.ts";

const opened = providerContract(GEMINI);

describe("contents", () => {
  test("all results of one round and what the user says next are one content", async () => {
    const body = await opened.bodyOf({ messages: [...TOOL_ROUND, { role: "user", content: "Go on." }] });
    const [, , last, ...none] = (body as { contents: { parts: object[] }[] }).contents;
    expect(last?.parts.map((part) => Object.keys(part)[0])).toEqual([
      ...["functionResponse", "functionResponse"],
      "text",
    ]);
    expect(none).toEqual([]);
  });

  test("an empty assistant message is left out", async () => {
    const messages: Message[] = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "", toolCalls: [] },
      { role: "user", content: "Are you there?" },
    ];
    const body = await opened.bodyOf({ messages });
    expect(body).toHaveProperty("contents", [
      { role: "user", parts: [{ text: "Hello" }, { text: "Are you there?" }] },
    ]);
  });

  test("from Gemini 3 on an image that a tool gave stands in its result", async () => {
    const body = await opened.bodyOf({
      model: "gemini-3-flash-preview",
      tools: [LOOKUP],
      messages: IMAGE_ROUND,
    });
    expect(body).toHaveProperty("contents.2.parts", [
      {
        functionResponse: {
          ...{ id: "call_a", name: "lookup" },
          response: { output: "A map:\n[image image/png]" },
          parts: [{ inlineData: { mimeType: "image/png", data: PNG } }],
        },
      },
    ]);
  });

  test("a schema beside tools is told in words to a model that refuses both", async () => {
    const body = await opened.bodyOf({ outputSchema: CITY_SCHEMA, tools: [LOOKUP] });
    expect(JSON.stringify(body)).not.toContain("responseJsonSchema");
    expect(body).toHaveProperty(
      "systemInstruction.parts.0.text",
      expect.stringContaining(JSON.stringify(CITY_SCHEMA)),
    );
  });

  test("a schema beside tools is sent to a model that takes both", async () => {
    const model = "gemini-3.1-pro-preview";
    const body = await opened.bodyOf({ model, outputSchema: CITY_SCHEMA, tools: [LOOKUP] });
    expect(body).toHaveProperty("generationConfig.responseJsonSchema", CITY_SCHEMA);
  });
});

describe("replies", () => {
  test.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "refusal"],
    ["RECITATION", "refusal"],
    ["PROHIBITED_CONTENT", "refusal"],
    ["MALFORMED_FUNCTION_CALL", "other"],
    ["SOMETHING_NEW", "other"],
  ])("the finish reason %s is %s", async (reason, finishReason) => {
    opened.server.answerNext({ kind: "raw", body: geminiAnswer([{ text: "Paris" }], reason) });
    expect(await replyTo(opened)).toMatchObject({ finishReason, id: "reply_1" });
  });

  test("a blocked prompt is a refusal that says why", async () => {
    const promptFeedback = { blockReason: "SAFETY", blockReasonMessage: "Not this." };
    opened.server.answerNext({
      kind: "raw",
      body: { promptFeedback, usageMetadata: { promptTokenCount: 4 } },
    });
    const reply = await replyTo(opened);
    expect(reply).toMatchObject({ finishReason: "refusal", content: "Not this.", usage: { inputTokens: 4 } });
  });

  test("a blocked prompt is a refusal as a stream too", async () => {
    answerWithPieces([{ promptFeedback: { blockReason: "SAFETY" } }]);
    expect(await replyTo(opened, { stream: true })).toMatchObject({ finishReason: "refusal", content: "" });
  });

  test("no candidate and no reason why not may be tried again", async () => {
    opened.server.answerNext({ kind: "raw", body: { candidates: [], usageMetadata: {} } });
    await expect(replyTo(opened)).rejects.toMatchObject({ code: "provider_error", retryable: true });
  });

  test("a stream that ends without a finish reason may be tried again", async () => {
    answerWithPieces([{ candidates: [{ content: { parts: [{ text: "Par" }] } }] }]);
    await expect(replyTo(opened, { stream: true })).rejects.toMatchObject({ retryable: true });
  });

  test("an error within a stream keeps its status", async () => {
    answerWithPieces([{ error: { code: 503, message: "overloaded", status: "UNAVAILABLE" } }]);
    await expect(replyTo(opened, { stream: true })).rejects.toMatchObject({ retryable: true });
    answerWithPieces([{ error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED" } }]);
    await expect(replyTo(opened, { stream: true })).rejects.toMatchObject({ code: "rate_limited" });
  });
});

describe("failures", () => {
  test("the wait that stands in the body of a 429 is honoured", async () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }];
    opened.server.answerNext({
      kind: "raw",
      status: 429,
      body: { error: { message: "slow down", details } },
    });
    await expect(replyTo(opened)).rejects.toMatchObject({ code: "rate_limited", waitMs: 34_500 });
  });

  test("a wrong key, which Gemini answers with 400, names the variable", async () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
    const error = { code: 400, message: "API key not valid.", details };
    opened.server.answerNext({ kind: "raw", status: 400, body: { error } });
    const failure = replyTo(opened);
    await expect(failure).rejects.toMatchObject({ retryable: false });
    await expect(failure).rejects.toThrow("GEMINI_API_KEY");
  });
});

test("the key goes into a header and not into the address", async () => {
  await opened.bodyOf({});
  expect(opened.server.last.path).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
  expect(opened.server.last.headers).toMatchObject({ "x-goog-api-key": "a-key" });
});

function answerWithPieces(pieces: readonly object[]): void {
  const body = pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join("");
  opened.server.answerNext({ kind: "raw", headers: { "content-type": "text/event-stream" }, body });
}
