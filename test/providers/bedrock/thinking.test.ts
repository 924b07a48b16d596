import { expect, test } from "vitest";
import type { Message } from "../../../src/providers/provider.ts";
import { LOOKUP } from "../../contract/provider/requests.ts";
import { openedProvider, roundAfter } from "../../fixtures/models/opened-provider.ts";
import { BEDROCK, bedrockAnswer, stubAccount } from "./wire.ts";

stubAccount();
const opened = openedProvider(BEDROCK);

const SIGNED = { reasoningContent: { reasoningText: { text: "France? Paris.", signature: "c2lnbmVk" } } };
const REDACTED = { reasoningContent: { redactedContent: "ZW5jcnlwdGVk" } };
const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: "lookup", input: { country: "France" } } });

test.each([
  ["us.anthropic.claude-opus-4-6-v1", "medium", { thinking: { type: "adaptive" } }, "medium"],
  ["anthropic.claude-sonnet-5", "high", { thinking: { type: "adaptive" } }, "high"],
  ["openai.gpt-oss-120b-1:0", "minimal", { reasoning_effort: "low" }, null],
  [
    "us.amazon.nova-2-lite-v1:0",
    "low",
    { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } },
    null,
  ],
  ["us.amazon.nova-2-lite-v1:0", "minimal", null, null],
  ["us.meta.llama4-maverick-17b-instruct-v1:0", "high", null, null],
] as const)("%s is asked for %s effort in its own way", async (model, reasoningEffort, fields, effort) => {
  const body = await opened.bodyOf({ model, reasoningEffort });
  if (fields === null) expect(body).not.toHaveProperty("additionalModelRequestFields");
  else expect(body).toHaveProperty("additionalModelRequestFields", fields);
  if (effort === null) expect(body).not.toHaveProperty("outputConfig");
  else expect(body).toHaveProperty("outputConfig", { effort });
});

test.each([
  ["us.anthropic.claude-opus-5-5-v1:0", { auto: {} }, "messages.0.content.1.text"],
  ["us.meta.llama3-3-70b-instruct-v1:0", { auto: {} }, "system.0.text"],
  ["openai.gpt-oss-120b-1:0", { auto: {} }, "system.0.text"],
  ["mistral.mistral-large-2407-v1:0", { any: {} }, "system.0.text"],
])("%s is asked in words for a tool that it cannot be made to call", async (model, toolChoice, place) => {
  const body = await opened.bodyOf({ model, tools: [LOOKUP], toolChoice: { name: "lookup" } });
  expect(body).toHaveProperty("toolConfig.toolChoice", toolChoice);
  expect(body).toHaveProperty(place, expect.stringContaining("tool lookup"));
});

test.each(["us.anthropic.claude-opus-5-v1:0", "us.amazon.nova-pro-v1:0"])(
  "%s is made to call the tool",
  async (model) => {
    const body = await opened.bodyOf({ model, tools: [LOOKUP], toolChoice: { name: "lookup" } });
    expect(body).toHaveProperty("toolConfig.toolChoice", { tool: { name: "lookup" } });
    expect(body).not.toHaveProperty("system");
  },
);

test("thinking that a shortened conversation no longer fits is left out instead of refused", async () => {
  const body = await opened.bodyOf({ model: "us.anthropic.claude-opus-5-5-v1:0" });
  expect(body).toHaveProperty("additionalModelRequestFields", {
    thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    anthropic_beta: ["thinking-binding-controls-2026-08-01"],
  });
});

test("Nova at its highest effort gets no other limit", async () => {
  const model = "us.amazon.nova-2-lite-v1:0";
  const body = await opened.bodyOf({ model, reasoningEffort: "high", maxTokens: 64, temperature: 0.5 });
  expect(body).not.toHaveProperty("inferenceConfig");
});

test.each([
  ["anthropic.claude-opus-4-7", false],
  ["us.amazon.nova-pro-v1:0", true],
])("%s gets a temperature: %s", async (model, gets) => {
  const body = await opened.bodyOf({ model, temperature: 0.5, maxTokens: 64 });
  expect(body).toHaveProperty("inferenceConfig", { maxTokens: 64, ...(gets ? { temperature: 0.5 } : {}) });
});

test("a Claude is not left to take its whole limit from the account's quota", async () => {
  expect(await opened.bodyOf({})).toHaveProperty("inferenceConfig", { maxTokens: 16_000 });
  expect(await opened.bodyOf({ model: "us.amazon.nova-pro-v1:0" })).not.toHaveProperty("inferenceConfig");
});

test("reasoning goes back unchanged and in its place with the tools' results", async () => {
  const blocks = [SIGNED, { text: "Let me look." }, REDACTED, use("tooluse_1")];
  opened.server.answerNext({ kind: "raw", body: bedrockAnswer(blocks, "tool_use") });
  const messages = await roundAfter(opened, { tools: [LOOKUP] });
  expect(await opened.bodyOf({ tools: [LOOKUP], messages })).toHaveProperty("messages.1.content", blocks);
});

test("streamed reasoning goes back as one block", async () => {
  opened.server.mock.on(
    { hasToolResult: false },
    { toolCalls: [{ id: "tooluse_1", name: "lookup", arguments: "{}" }], reasoning: "France? Paris." },
    { chunkSize: 3 },
  );
  const messages = await roundAfter(opened, { tools: [LOOKUP], stream: true });
  expect(await opened.bodyOf({ tools: [LOOKUP], messages })).toHaveProperty("messages.1.content", [
    { reasoningContent: { reasoningText: { text: "France? Paris." } } },
    { toolUse: { toolUseId: "tooluse_1", name: "lookup", input: {} } },
  ]);
});

test("a tool call that the agent left out is not sent back", async () => {
  const blocks = [SIGNED, use("tooluse_1"), use("tooluse_2")];
  const toolCalls = [{ id: "tooluse_2", name: "lookup", input: {} }];
  const messages: Message[] = [
    { role: "assistant", content: "", toolCalls, opaque: { kind: "bedrock", blocks } },
  ];
  const body = await opened.bodyOf({ messages });
  expect(body).toHaveProperty("messages.0.content", [SIGNED, use("tooluse_2")]);
});
