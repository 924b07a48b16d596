import { expect } from "vitest";
import { CITY_SCHEMA, LOOKUP, PNG } from "../../contract/provider/requests.ts";
import type { ProviderUnderTest } from "../../contract/provider/under-test.ts";

/** An answer in the Chat Completions protocol. */
export const chatAnswer = (message: object, finish_reason: string, usage: object = {}) => ({
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "a-model" },
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...usage },
});

/** How the contract's requests look in the Chat Completions protocol, which more than one provider speaks. */
export const chatInBody: ProviderUnderTest["inBody"] = {
  system: { messages: [{ role: "system", content: "You are terse." }, { role: "user" }] },
  toolSpec: {
    tools: [
      {
        type: "function",
        function: { name: "lookup", description: "Looks a country up.", parameters: LOOKUP.inputSchema },
      },
    ],
  },
  toolRound: {
    messages: [
      { role: "user" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          {
            id: "call_a",
            type: "function",
            function: { name: "lookup", arguments: '{"country":"France"}' },
          },
        ],
      },
      { role: "tool", tool_call_id: "call_a", content: "Paris" },
    ],
  },
  failedTool: {
    messages: expect.arrayContaining([
      { role: "tool", tool_call_id: "call_b", content: "Error: no such country" },
    ]),
  },
  image: {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
    ],
  },
  toolImage: {
    messages: [
      { role: "user" },
      { role: "assistant" },
      { role: "tool", tool_call_id: "call_a", content: "A map:\n[image image/png]" },
      {
        role: "user",
        content: [
          { type: "text", text: "The images in the results above, in their order:" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      },
    ],
  },
  outputSchema: {
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", strict: true, schema: CITY_SCHEMA },
    },
  },
  maxTokens: { max_tokens: 64 },
  temperature: { temperature: 0.5 },
  topP: { top_p: 0.5 },
  serviceTier: { service_tier: "flex" },
  stop: { stop: ["END"] },
  seed: { seed: 7 },
  reasoningEffort: { reasoning_effort: "low" },
  toolChoice: {
    auto: { tool_choice: "auto" },
    required: { tool_choice: "required" },
    none: { tool_choice: "none" },
    lookup: { tool_choice: { type: "function", function: { name: "lookup" } } },
  },
};

export const chatAnswers: ProviderUnderTest["answers"] = {
  usage: {
    body: chatAnswer({ content: "Paris" }, "stop", {
      ...{ prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 },
      prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 10 },
    }),
    usage: {
      ...{ inputTokens: 100, outputTokens: 30, cachedInputTokens: 40, reasoningTokens: 10 },
      cacheWriteTokens: 20,
    },
  },
  length: chatAnswer({ content: "Par" }, "length"),
  refusal: chatAnswer({ refusal: "I will not." }, "stop"),
  empty: chatAnswer({}, "stop"),
};
