import { expect, test } from "vitest";
import type { ChatRequest, Message } from "../../../src/providers/provider.ts";
import { LOOKUP } from "../../contract/provider/requests.ts";
import { openedProvider, roundAfter } from "../../fixtures/models/opened-provider.ts";
import { ANTHROPIC, anthropicAnswer, text } from "./wire.ts";

const opened = openedProvider(ANTHROPIC);

const THINKING = { type: "thinking", thinking: "France? Paris.", signature: "c2lnbmVk" };
const REDACTED = { type: "redacted_thinking", data: "ZW5jcnlwdGVk" };
const use = (id: string) => ({ type: "tool_use", id, name: "lookup", input: { country: "France" } });

test.each([
  ["claude-3-5-haiku-20241022", "high", { max_tokens: 4_096 }],
  ["claude-opus-4-20250514", "medium", { thinking: { budget_tokens: 8_000 }, max_tokens: 24_000 }],
  ["claude-opus-4-1", "minimal", { max_tokens: 16_000 }],
  ["claude-opus-4-6", "medium", { thinking: { type: "adaptive" }, output_config: { effort: "medium" } }],
  ["claude-sonnet-5", "low", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
  ["claude-mythos-preview", "high", { thinking: { type: "adaptive" }, output_config: { effort: "high" } }],
  ["claude-opus-4-6", "xhigh", { thinking: { type: "adaptive" }, output_config: { effort: "high" } }],
  ["claude-opus-4-6", "none", {}],
  ["claude-opus-4-8", "xhigh", { thinking: { type: "adaptive" }, output_config: { effort: "xhigh" } }],
  ["claude-opus-5", "none", { thinking: { type: "disabled" } }],
  ["claude-sonnet-5", "max", { thinking: { type: "adaptive" }, output_config: { effort: "max" } }],
  ["claude-fable-5", "none", { output_config: { effort: "low" } }],
  ["claude-opus-5-5", "minimal", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
  ["claude-opus-5-5", "none", { thinking: { type: "adaptive" }, output_config: { effort: "low" } }],
  ["claude-sonnet-5-5", "none", { thinking: { type: "between_tools" } }],
  ["claude-haiku-5-5", "none", { thinking: { type: "disabled" } }],
  ["glm-5", "low", { thinking: { type: "enabled", budget_tokens: 2_000 } }],
] as const)("%s is asked for %s effort in its own way", async (model, reasoningEffort, expected) => {
  const body = await opened.bodyOf({ model, reasoningEffort });
  expect(body).toMatchObject(expected);
  expect("thinking" in body).toBe("thinking" in expected);
});

test("a budget leaves half of the allowed tokens to the answer", async () => {
  const body = await opened.bodyOf({ reasoningEffort: "high", maxTokens: 4_000 });
  expect(body).toMatchObject({ max_tokens: 4_000, thinking: { budget_tokens: 2_000 } });
});

test("a budget that is too small to think with is not sent", async () => {
  expect(await opened.bodyOf({ reasoningEffort: "high", maxTokens: 500 })).not.toHaveProperty("thinking");
});

test.each(["claude-haiku-4-5", "claude-sonnet-5"])(
  "%s does not think when a tool is forced",
  async (model) => {
    const forced: Partial<ChatRequest> = { tools: [LOOKUP], toolChoice: { name: "lookup" } };
    const body = await opened.bodyOf({ model, ...forced, reasoningEffort: "high" });
    expect(body).not.toHaveProperty("thinking");
  },
);

test.each([
  "claude-opus-5-5",
  "claude-sonnet-5-5",
  "claude-haiku-5-5",
  "claude-fable-5-1",
  "claude-fable-5-2",
  "claude-opus-6",
])("%s is asked in words for a tool that it cannot be made to call", async (model) => {
  const forced: Partial<ChatRequest> = { tools: [LOOKUP], toolChoice: { name: "lookup" } };
  const body = await opened.bodyOf({ model, ...forced });
  expect(body).toMatchObject({
    tool_choice: { type: "auto" },
    tools: [{ name: "lookup", strict: true }],
    messages: [
      { role: "user", content: [{}, { type: "text", text: expect.stringContaining("tool lookup") }] },
    ],
  });
});

test.each(["claude-opus-5", "claude-fable-5", "claude-haiku-4-5"])(
  "%s is made to call the tool",
  async (model) => {
    const forced: Partial<ChatRequest> = { tools: [LOOKUP], toolChoice: { name: "lookup" } };
    const body = await opened.bodyOf({ model, ...forced });
    expect(body).toHaveProperty("tool_choice", expect.objectContaining({ type: "tool", name: "lookup" }));
  },
);

test("thinking that a shortened conversation no longer fits is left out instead of refused", async () => {
  const body = await opened.bodyOf({ model: "claude-opus-5-5" });
  expect(body).toHaveProperty("thinking.block_binding.prefix_mismatch_behavior", "drop_block");
  expect(opened.server.last.headers["anthropic-beta"]).toBe("thinking-binding-controls-2026-08-01");
  await opened.bodyOf({ model: "claude-opus-5" });
  expect(opened.server.last.headers).not.toHaveProperty("anthropic-beta");
});

test.each([
  ["claude-haiku-4-5", "low", false],
  ["claude-opus-4-6", undefined, true],
  ["claude-opus-4-7", undefined, false],
  ["claude-sonnet-5", undefined, false],
  ["glm-5", undefined, true],
] as const)(
  "%s with effort %s gets a temperature, and a version of the API that has it: %s",
  async (model, reasoningEffort, gets) => {
    const effort = reasoningEffort === undefined ? {} : { reasoningEffort };
    const body = await opened.bodyOf({ model, temperature: 0.5, ...effort });
    expect("temperature" in body).toBe(gets);
    const version = opened.server.last.headers["anthropic-version"];
    if (gets) expect(version).toBe("2023-06-01");
    else expect(version).not.toBe("2023-06-01");
  },
);

test("a Claude that is told its temperature is told no top-p", async () => {
  const given = { temperature: 0.5, topP: 0.9 };
  expect(await opened.bodyOf(given)).not.toHaveProperty("top_p");
  const { warnings } = await opened.provider.generate(opened.request(given));
  expect(warnings).toEqual([expect.stringContaining("does not accept top-p here: 0.9 was left out")]);
  expect(await opened.bodyOf({ topP: 0.9 })).toMatchObject({ top_p: 0.9 });
  expect(opened.server.last.headers["anthropic-version"]).toBe("2023-06-01");
});

test("thinking blocks go back unchanged and in their place with the tools' results", async () => {
  const blocks = [THINKING, text("Let me look."), REDACTED, use("toolu_1")];
  opened.server.answerNext({ kind: "raw", body: anthropicAnswer(blocks, "tool_use") });
  const messages = await roundAfter(opened, { tools: [LOOKUP] });
  const body = await opened.bodyOf({ tools: [LOOKUP], messages });
  expect(body).toMatchObject({
    messages: [{ role: "user" }, { role: "assistant", content: blocks }, { role: "user" }],
  });
});

test("a streamed thinking block goes back with its signature", async () => {
  opened.server.mock.on(
    { hasToolResult: false },
    {
      toolCalls: [{ id: "toolu_1", name: "lookup", arguments: "{}" }],
      reasoning: "Hm.",
      reasoningSignature: "sig",
    },
    { chunkSize: 1 },
  );
  const messages = await roundAfter(opened, { tools: [LOOKUP], reasoningEffort: "low", stream: true });
  const body = await opened.bodyOf({ tools: [LOOKUP], messages });
  expect(body).toMatchObject({
    messages: [
      { role: "user" },
      { content: [{ type: "thinking", thinking: "Hm.", signature: "sig" }, { type: "tool_use" }] },
      { role: "user" },
    ],
  });
});

test("a tool call that the agent left out is not sent back", async () => {
  const blocks = [THINKING, use("toolu_1"), use("toolu_2")];
  const opaque = { kind: "anthropic", blocks };
  const toolCalls = [{ id: "toolu_1", name: "lookup", input: {} }];
  const messages: Message[] = [{ role: "assistant", content: "", toolCalls, opaque }];
  const body = await opened.bodyOf({ tools: [LOOKUP], messages });
  expect(body).toMatchObject({ messages: [{ content: [THINKING, use("toolu_1")] }] });
});
