import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readAnthropicStream } from "../../src/providers/anthropic/reply.ts";
import type { Message } from "../../src/providers/provider.ts";
import { LOOKUP } from "../contract/provider/requests.ts";
import { answerWithEvents, openedProvider, replyTo, roundAfter } from "../fixtures/models/opened-provider.ts";
import { chatAnswer, chatAnswers, chatInBody } from "./openai/chat-completions-wire.ts";

const chat = openedProvider({
  providerKey: "openai-compatible:my",
  model: "a-model",
  variables: (url) => ({ MY_BASE_URL: `${url}/v1` }),
  signInWords: "MY_API_KEY",
  inBody: chatInBody,
  answers: chatAnswers,
});
const openai = openedProvider({
  providerKey: "openai",
  model: "gpt-5.4",
  variables: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "a-key" }),
  signInWords: "OPENAI_API_KEY",
  inBody: chatInBody,
  answers: chatAnswers,
});

const CALL = { id: "call_1", type: "function", function: { name: "lookup", arguments: "{}" } };
const thinking = (text: string) => ({ type: "thinking", thinking: [{ type: "text", text }] });
const text = (words: string) => ({ type: "text", text: words });
const LIST = [thinking("A country."), text("Let me look.")];

test("a content that is a list of thinking and text is read, and goes back with a tool's result", async () => {
  const message = { content: LIST, tool_calls: [CALL] };
  chat.server.answerNext({ kind: "raw", body: chatAnswer(message, "tool_calls") });
  const messages = await roundAfter(chat, { tools: [LOOKUP] });
  expect(messages[1]).toMatchObject({ content: "Let me look.", toolCalls: [{ name: "lookup" }] });
  expect(await chat.bodyOf({ tools: [LOOKUP], messages })).toMatchObject({
    messages: [{ role: "user" }, { role: "assistant", content: LIST, tool_calls: [CALL] }, { role: "tool" }],
  });
});

test("a streamed content may be a list first and text later", async () => {
  const delta = (given: object, finish_reason: string | null = null) => ({
    choices: [{ delta: given, finish_reason }],
  });
  answerWithEvents(
    chat,
    delta({ content: [thinking("A ")] }),
    delta({ content: [thinking("country.")] }),
    delta({ content: "Let me " }),
    delta({ content: [text("look.")] }),
    delta({ tool_calls: [{ index: 0, ...CALL }] }, "tool_calls"),
  );
  const reply = await replyTo(chat, { stream: true });
  expect(reply).toMatchObject({ content: "Let me look.", opaque: { thinking: { content: LIST } } });
});

test.each([false, true])(
  "thinking in the field reasoning goes back with the tool's result (as a stream: %s)",
  async (stream) => {
    const message = { reasoning: "A country.", tool_calls: [{ index: 0, ...CALL }] };
    if (stream) answerWithEvents(chat, { choices: [{ delta: message, finish_reason: "tool_calls" }] });
    else chat.server.answerNext({ kind: "raw", body: chatAnswer(message, "tool_calls") });
    const messages = await roundAfter(chat, { tools: [LOOKUP], stream });
    expect(await chat.bodyOf({ tools: [LOOKUP], messages })).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant", reasoning: "A country." }, { role: "tool" }],
    });
  },
);

const saidIn = (phase: string, words: string) => ({
  ...{ type: "message", id: `msg_${phase}`, role: "assistant", status: "completed", phase },
  content: [{ type: "output_text", text: words, annotations: [] }],
});

test("what a model says while it works is no part of its answer, and goes back with its phase", async () => {
  const output = [saidIn("commentary", "I look it up."), saidIn("final_answer", "Paris")];
  openai.server.answerNext({ kind: "raw", body: { id: "resp_1", status: "completed", output } });
  const { content, opaque = null } = await replyTo(openai);
  expect(content).toBe("Paris");
  const messages: Message[] = [
    { role: "user", content: "Capital of France?" },
    { role: "assistant", content, toolCalls: [], opaque },
    { role: "user", content: "And of Peru?" },
  ];
  expect(await openai.bodyOf({ messages })).toMatchObject({
    input: [{ role: "user" }, ...output, { role: "user" }],
  });
});

test("a model that only says what it does has said that", async () => {
  const output = [saidIn("commentary", "I look it up.")];
  openai.server.answerNext({ kind: "raw", body: { id: "resp_1", status: "completed", output } });
  expect((await replyTo(openai)).content).toBe("I look it up.");
});

const USAGE = { input_tokens: 17, output_tokens: 1 };
const start = (more: object = {}) => ({
  type: "message_start",
  message: { id: "msg_1", role: "assistant", content: [], usage: USAGE, ...more },
});
const block = (index: number, content_block: object) => ({
  ...{ type: "content_block_start", index, content_block },
});
const delta = (index: number, given: object) => ({ type: "content_block_delta", index, delta: given });
const USE = { type: "tool_use", id: "toolu_1", name: "lookup", input: {} };

async function readClaude(...events: object[]): Promise<unknown> {
  const chunks = await Array.fromAsync(readAnthropicStream(Readable.from(events)));
  return Object(chunks.at(-1)).reply;
}

test("a stream of Claude that begins again is only what came after that", async () => {
  const reply = await readClaude(
    start(),
    ...[block(0, text("Let ")), block(1, USE), delta(1, { partial_json: '{"country":"Fr' })],
    start({ id: "msg_2" }),
    ...[block(0, { ...USE, id: "toolu_2" }), delta(0, { partial_json: '{"country":"Peru"}' })],
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  );
  expect(reply).toMatchObject({
    id: "msg_2",
    content: "",
    toolCalls: [{ id: "toolu_2", input: { country: "Peru" } }],
    usage: { inputTokens: 17, outputTokens: 9 },
  });
});

test("a call that stands whole in the first event of Claude's stream is read", async () => {
  const content = [{ ...USE, input: { country: "Peru" } }];
  const whole = start({ content, stop_reason: "tool_use" });
  expect(await readClaude(whole, { type: "message_stop" })).toMatchObject({
    toolCalls: [{ id: "toolu_1", input: { country: "Peru" } }],
    finishReason: "tool_calls",
  });
});
