import { expect, vi } from "vitest";
import { CITY_SCHEMA, LOOKUP, PNG } from "../../contract/provider/requests.ts";
import type { ProviderUnderTest } from "../../contract/provider/under-test.ts";

/** An answer word for word. */
export const bedrockAnswer = (content: object[], stopReason: string, more: object = {}) => ({
  output: { message: { role: "assistant", content } },
  stopReason,
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  metrics: { latencyMs: 1 },
  ...more,
});

/** An account of its own, so that no profile of whoever runs the tests is asked. */
export function stubAccount(): void {
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "a-secret");
  for (const name of ["AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"])
    vi.stubEnv(name, undefined);
}

const toolSpec = {
  name: "lookup",
  description: "Looks a country up.",
  inputSchema: { json: LOOKUP.inputSchema },
};
const result = (toolUseId: string, text: string, more: object = {}) => ({
  toolResult: { toolUseId, content: [{ text }], ...more },
});

/** How the contract looks in Converse. */
export const BEDROCK: ProviderUnderTest = {
  providerKey: "bedrock",
  model: "eu.anthropic.claude-haiku-4-5-20251001-v1:0",
  variables: (url) => ({ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url }),
  furtherFields: { requestMetadata: { team: "a" } },
  signInWords: "credentials of the account",
  inBody: {
    system: {
      system: [{ text: "You are terse." }],
      messages: [{ role: "user", content: [{ text: "Hello" }] }],
    },
    toolSpec: { toolConfig: { tools: [{ toolSpec }] } },
    toolRound: {
      messages: [
        { role: "user" },
        {
          role: "assistant",
          content: [{ toolUse: { toolUseId: "call_a", name: "lookup", input: { country: "France" } } }],
        },
        { role: "user", content: [result("call_a", "Paris")] },
      ],
    },
    failedTool: {
      messages: [
        { role: "user" },
        { role: "assistant" },
        {
          role: "user",
          content: [result("call_a", "Paris"), result("call_b", "no such country", { status: "error" })],
        },
      ],
    },
    image: {
      messages: [
        { content: [{ text: "What is this?" }, { image: { format: "png", source: { bytes: PNG } } }] },
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
              toolResult: {
                toolUseId: "call_a",
                content: [{ text: "A map:" }, { image: { format: "png", source: { bytes: PNG } } }],
              },
            },
          ],
        },
      ],
    },
    outputSchema: {
      outputConfig: {
        textFormat: {
          type: "json_schema",
          structure: { jsonSchema: { name: "answer", schema: JSON.stringify(reordered(CITY_SCHEMA)) } },
        },
      },
    },
    maxTokens: { inferenceConfig: { maxTokens: 64 } },
    temperature: { inferenceConfig: { temperature: 0.5 } },
    topP: { inferenceConfig: { topP: 0.5 } },
    serviceTier: { serviceTier: { type: "flex" } },
    stop: { inferenceConfig: { stopSequences: ["END"] } },
    seed: null,
    reasoningEffort: {
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2_000 } },
      inferenceConfig: { maxTokens: 18_000 },
    },
    toolChoice: {
      auto: { toolConfig: { tools: [{ toolSpec }], toolChoice: { auto: {} } } },
      required: { toolConfig: { tools: [{ toolSpec }], toolChoice: { any: {} } } },
      none: expect.not.objectContaining({ toolConfig: expect.anything() }),
      lookup: { toolConfig: { tools: [{ toolSpec }], toolChoice: { tool: { name: "lookup" } } } },
    },
  },
  answers: {
    usage: {
      body: bedrockAnswer([{ text: "Paris" }], "end_turn", {
        usage: {
          ...{ inputTokens: 50, cacheReadInputTokens: 30, cacheWriteInputTokens: 20 },
          cacheDetails: [
            { ttl: "5m", inputTokens: 5 },
            { ttl: "1h", inputTokens: 15 },
          ],
          ...{ outputTokens: 25, totalTokens: 125 },
        },
      }),
      usage: {
        ...{ inputTokens: 100, outputTokens: 25, cachedInputTokens: 30, reasoningTokens: 0 },
        ...{ cacheWriteTokens: 20, cacheWriteHourTokens: 15 },
      },
    },
    length: bedrockAnswer([{ text: "Par" }], "max_tokens"),
    refusal: bedrockAnswer([], "content_filtered"),
    empty: bedrockAnswer([], "end_turn"),
  },
};

/** The fields in the order in which they are sent as text. */
function reordered({ type, properties, additionalProperties, required }: typeof CITY_SCHEMA) {
  return { type, properties, additionalProperties, required };
}
