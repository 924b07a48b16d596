import { CITY_SCHEMA, LOOKUP, PNG } from "../../contract/provider/requests.ts";
import type { ProviderUnderTest } from "../../contract/provider/under-test.ts";

/** An answer word for word. */
export const anthropicAnswer = (content: object[], stop_reason: string, more: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
  ...more,
});
export const text = (words: string) => ({ type: "text", text: words });

/** How the contract looks in the Messages API. */
export const ANTHROPIC: ProviderUnderTest = {
  providerKey: "anthropic",
  model: "claude-haiku-4-5",
  variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "a-key" }),
  signInWords: "ANTHROPIC_API_KEY",
  inBody: {
    system: { system: "You are terse.", messages: [{ role: "user", content: [text("Hello")] }] },
    toolSpec: {
      tools: [{ name: "lookup", description: "Looks a country up.", input_schema: LOOKUP.inputSchema }],
    },
    toolRound: {
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "call_a", name: "lookup", input: { country: "France" } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_a", content: "Paris" }] },
      ],
    },
    failedTool: {
      messages: [
        { role: "user" },
        { role: "assistant" },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "call_a", content: "Paris" },
            { type: "tool_result", tool_use_id: "call_b", content: "no such country", is_error: true },
          ],
        },
      ],
    },
    image: {
      messages: [
        {
          content: [
            text("What is this?"),
            { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
          ],
        },
      ],
    },
    toolImage: {
      messages: [
        { role: "user" },
        { role: "assistant" },
        {
          role: "user",
          content: [
            {
              ...{ type: "tool_result", tool_use_id: "call_a" },
              content: [
                text("A map:"),
                { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
              ],
            },
          ],
        },
      ],
    },
    outputSchema: { output_config: { format: { type: "json_schema", schema: CITY_SCHEMA } } },
    maxTokens: { max_tokens: 64 },
    temperature: { temperature: 0.5 },
    topP: { top_p: 0.5 },
    serviceTier: { service_tier: "flex" },
    stop: { stop_sequences: ["END"] },
    seed: null,
    reasoningEffort: { thinking: { type: "enabled", budget_tokens: 2_000 }, max_tokens: 18_000 },
    toolChoice: {
      auto: { tool_choice: { type: "auto" } },
      required: { tool_choice: { type: "any" } },
      none: { tool_choice: { type: "none" } },
      lookup: { tool_choice: { type: "tool", name: "lookup", disable_parallel_tool_use: true } },
    },
  },
  answers: {
    usage: {
      body: anthropicAnswer([text("Paris")], "end_turn", {
        usage: {
          ...{ input_tokens: 50, cache_creation_input_tokens: 20, cache_read_input_tokens: 30 },
          cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 15 },
          ...{ output_tokens: 25, output_tokens_details: { thinking_tokens: 10 } },
        },
      }),
      usage: {
        ...{ inputTokens: 100, outputTokens: 25, cachedInputTokens: 30, reasoningTokens: 10 },
        ...{ cacheWriteTokens: 20, cacheWriteHourTokens: 15 },
      },
    },
    length: anthropicAnswer([text("Par")], "max_tokens"),
    refusal: anthropicAnswer([], "refusal"),
    empty: anthropicAnswer([], "end_turn"),
  },
};
