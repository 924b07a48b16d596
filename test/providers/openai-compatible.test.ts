import { expect } from "vitest";
import { providerContract } from "../contract/provider.ts";
import { CITY_SCHEMA, LOOKUP, PNG } from "../contract/provider-requests.ts";

const answer = (message: object, finish_reason: string, usage: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...usage },
});

providerContract({
  providerKey: "openai-compatible:my-local",
  model: "llama3.2",
  variables: (url) => ({ MY_LOCAL_BASE_URL: `${url}/v1`, MY_LOCAL_API_KEY: "a-key" }),
  signInWords: "MY_LOCAL_API_KEY",
  inBody: {
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
    outputSchema: {
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", strict: true, schema: CITY_SCHEMA },
      },
    },
    maxTokens: { max_tokens: 64 },
    temperature: { temperature: 0.5 },
    stop: { stop: ["END"] },
    seed: { seed: 7 },
    reasoningEffort: { reasoning_effort: "low" },
    toolChoice: {
      auto: { tool_choice: "auto" },
      required: { tool_choice: "required" },
      none: { tool_choice: "none" },
      lookup: { tool_choice: { type: "function", function: { name: "lookup" } } },
    },
  },
  answers: {
    usage: {
      body: answer({ content: "Paris" }, "stop", {
        ...{ prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 },
        prompt_tokens_details: { cached_tokens: 40 },
        completion_tokens_details: { reasoning_tokens: 10 },
      }),
      usage: { inputTokens: 100, outputTokens: 30, cachedInputTokens: 40, reasoningTokens: 10 },
    },
    length: answer({ content: "Par" }, "length"),
    refusal: answer({ refusal: "I will not." }, "stop"),
    empty: answer({}, "stop"),
  },
});
