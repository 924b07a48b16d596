import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MAX_TRIES } from "../../../src/gateway/gateway.ts";
import { modelVariables, type OpenedGateway, openGateway } from "../../fixtures/gateway/open-gateway.ts";
import { startedModelServer } from "../../fixtures/models/started-model-server.ts";

const models = startedModelServer();
let opened: OpenedGateway;
beforeEach(async () => {
  opened = await openGateway(modelVariables(models.server));
});
afterEach(() => opened.gateway.close());

const question = "Capital of Peru?";
const messages = [{ role: "user" as const, content: question }];
const model = "small";
const openai = () => new OpenAI(opened.access.openai);
const anthropic = () => new Anthropic(opened.access.anthropic);
const gemini = () => {
  const { apiKey, baseURL } = opened.access.gemini;
  // The version that aimock knows.
  return new GoogleGenAI({ apiKey, apiVersion: "v1beta", httpOptions: { baseUrl: baseURL } });
};

const join = async <Piece>(
  pieces: AsyncIterable<Piece>,
  textOf: (piece: Piece) => string | null | undefined,
) => (await Array.fromAsync(pieces, (piece) => textOf(piece) ?? "")).join("");

/** Every way in which the SDKs that users have ask for a text. */
const WAYS: Readonly<Record<string, () => Promise<string | null | undefined>>> = {
  "openai: Chat Completions": async () =>
    (await openai().chat.completions.create({ model, messages })).choices[0]?.message.content,
  "openai: Chat Completions as a stream": async () =>
    join(
      await openai().chat.completions.create({ model, messages, stream: true }),
      ({ choices }) => choices[0]?.delta.content,
    ),
  "openai: Responses": async () => (await openai().responses.create({ model, input: question })).output_text,
  "openai: Responses as a stream": async () =>
    join(await openai().responses.create({ model, input: question, stream: true }), (event) =>
      event.type === "response.output_text.delta" ? event.delta : "",
    ),
  "anthropic: Messages": async () => {
    const { content } = await anthropic().messages.create({ model, messages, max_tokens: 99 });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("");
  },
  "anthropic: Messages as a stream": () =>
    anthropic().messages.stream({ model, messages, max_tokens: 99 }).finalText(),
  "gemini: generateContent": async () =>
    (await gemini().models.generateContent({ model, contents: question })).text,
  "gemini: generateContentStream": async () =>
    join(await gemini().models.generateContentStream({ model, contents: question }), ({ text }) => text),
};

const usage = {
  ...{ prompt_tokens: 31, completion_tokens: 7, total_tokens: 38, input_tokens: 31, output_tokens: 7 },
  ...{ promptTokenCount: 31, candidatesTokenCount: 7 },
};

test.each(Object.keys(WAYS))("%s is answered and counted", async (way) => {
  models.server.mock.on({}, { content: "It is Lima.", usage });
  expect(await WAYS[way]?.()).toBe("It is Lima.");
  const isStream = way.includes("tream");
  expect(opened.run.calls).toMatchObject([
    {
      model: { providerKey: way.split(":")[0], model },
      reply: { content: "It is Lima.", finishReason: "stop" },
      usage: { inputTokens: 31, outputTokens: 7 },
      firstTokenMs: isStream ? expect.any(Number) : null,
      failed: null,
    },
  ]);
});

test.each(Object.keys(WAYS))("%s is tried again by the gateway alone", async (way) => {
  const body = { error: { message: "no room", type: "overloaded_error" } };
  for (let tries = 0; tries < MAX_TRIES; tries++)
    models.server.answerNext({ kind: "raw", status: 503, body });
  await expect(WAYS[way]?.()).rejects.toThrow("no room");
  expect(models.server.sent).toHaveLength(MAX_TRIES);
  expect(opened.run.calls).toMatchObject([{ retries: MAX_TRIES - 1, failed: { fault: "provider" } }]);
});

test("what the gateway refuses comes out as the SDK's own error, with the gateway's words", async () => {
  await opened.gateway.release(opened.token);
  for (const way of Object.keys(WAYS))
    await expect(WAYS[way]?.()).rejects.toThrow("belongs to no run in progress");
  expect(models.server.sent).toEqual([]);
});
