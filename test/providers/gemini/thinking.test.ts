import { expect, test } from "vitest";
import type { Message } from "../../../src/providers/provider.ts";
import { LOOKUP, TOOL_ROUND } from "../../contract/provider/requests.ts";
import { openedProvider, roundAfter } from "../../fixtures/models/opened-provider.ts";
import { GEMINI, geminiAnswer } from "./wire.ts";

const opened = openedProvider(GEMINI);

const FRANCE = { functionCall: { name: "lookup", args: { country: "France" } } };
const PERU = { functionCall: { name: "lookup", args: { country: "Peru" } } };
const SIGNED = { ...FRANCE, thoughtSignature: "c2lnbmVk" };

test.each([
  ["gemini-2.5-flash", "minimal", { thinkingBudget: 0 }],
  ["gemini-2.5-flash-lite", "medium", { thinkingBudget: 8_192 }],
  ["gemini-2.5-pro", "minimal", { thinkingBudget: 128 }],
  ["gemini-2.5-pro", "high", { thinkingBudget: 24_576 }],
  ["gemini-3-flash-preview", "minimal", { thinkingLevel: "MINIMAL" }],
  ["gemini-3.1-pro-preview", "minimal", { thinkingLevel: "LOW" }],
  ["gemini-3.1-pro-preview", "high", { thinkingLevel: "HIGH" }],
  ["gemini-3-pro-preview", "medium", { thinkingLevel: "LOW" }],
  ["gemini-3.8-flash", "minimal", { thinkingLevel: "LOW" }],
  ["gemini-3.8-flash", "max", { thinkingLevel: "HIGH" }],
  ["gemini-2.5-flash", "xhigh", { thinkingBudget: 24_576 }],
  ["gemini-flash-latest", "medium", { thinkingLevel: "MEDIUM" }],
] as const)("%s is asked for %s effort in its own way", async (model, reasoningEffort, expected) => {
  const body = await opened.bodyOf({ model, reasoningEffort });
  expect(body).toHaveProperty("generationConfig.thinkingConfig", expected);
});

test.each(["gemini-2.0-flash", "gemma-3-27b-it"])(
  "%s, which cannot think, is not asked to",
  async (model) => {
    const plain = await opened.bodyOf({ model });
    expect(await opened.bodyOf({ model, reasoningEffort: "high" })).toEqual(plain);
  },
);

test("a signed call goes back as it came, and its result without the id that we made up", async () => {
  opened.server.answerNext({
    kind: "raw",
    body: geminiAnswer([{ text: "Let me look." }, SIGNED, PERU], "STOP"),
  });
  const messages = await roundAfter(opened, { tools: [LOOKUP] });
  const body = await opened.bodyOf({ tools: [LOOKUP], messages });
  const result = { functionResponse: { name: "lookup", response: { output: "Paris" } } };
  expect(body).toHaveProperty("contents", [
    { role: "user", parts: [{ text: "Capital of France?" }] },
    { role: "model", parts: [{ text: "Let me look." }, SIGNED, PERU] },
    { role: "user", parts: [result, result] },
  ]);
});

test("an id that Gemini gave goes back with the call and with the result", async () => {
  const call = { functionCall: { id: "fc_1", name: "lookup", args: {} }, thoughtSignature: "c2lnbmVk" };
  opened.server.answerNext({ kind: "raw", body: geminiAnswer([call], "STOP") });
  const messages = await roundAfter(opened, { tools: [LOOKUP] });
  const body = await opened.bodyOf({ tools: [LOOKUP], messages });
  expect(body).toMatchObject({
    contents: [{}, { parts: [call] }, { parts: [{ functionResponse: { id: "fc_1", name: "lookup" } }] }],
  });
});

test("a signature at the end of a stream goes back in a part of its own", async () => {
  const pieces = [
    [{ text: "Hm.", thought: true }],
    [{ text: "Par" }],
    [{ text: "is" }],
    [{ text: "", thoughtSignature: "c2lnbmVk" }],
  ].map((parts, index) => ({
    candidates: [{ content: { parts }, ...(index === 3 ? { finishReason: "STOP" } : {}) }],
  }));
  const body = pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join("");
  opened.server.answerNext({ kind: "raw", headers: { "content-type": "text/event-stream" }, body });
  const messages = await roundAfter(opened, { stream: true });
  expect(messages.at(-1)).toMatchObject({ content: "Paris" });
  expect(await opened.bodyOf({ messages })).toHaveProperty("contents.1.parts", [
    { text: "Hm.", thought: true },
    { text: "Paris" },
    { text: "", thoughtSignature: "c2lnbmVk" },
  ]);
});

test("a tool call that the agent left out is not sent back", async () => {
  const opaque = { kind: "gemini", parts: [SIGNED, PERU], callIds: ["call_1_0", "call_1_1"] };
  const toolCalls = [{ id: "call_1_1", name: "lookup", input: { country: "Peru" } }];
  const messages: Message[] = [{ role: "assistant", content: "", toolCalls, opaque }];
  expect(await opened.bodyOf({ messages })).toHaveProperty("contents.0.parts", [PERU]);
});

test("calls without an id get ids that no other round has", async () => {
  const answer = geminiAnswer([FRANCE, PERU], "STOP");
  opened.server.answerNext({ kind: "raw", body: answer });
  const messages = await roundAfter(opened, { tools: [LOOKUP] });
  opened.server.answerNext({ kind: "raw", body: answer });
  const later = await roundAfter(opened, { tools: [LOOKUP], messages });
  const ids = later.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []));
  expect(new Set(ids).size).toBe(4);
});

test("a call that no Gemini made goes with the word that stands for its signature", async () => {
  const body = await opened.bodyOf({ model: "gemini-3.1-pro-preview", messages: TOOL_ROUND });
  expect(body).toMatchObject({
    contents: [{}, { parts: [{ thoughtSignature: "skip_thought_signature_validator" }, {}] }, {}],
  });
  expect(JSON.stringify(await opened.bodyOf({ messages: TOOL_ROUND }))).not.toContain("thoughtSignature");
});
