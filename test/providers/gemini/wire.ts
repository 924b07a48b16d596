import { CITY_SCHEMA, LOOKUP, PNG } from "../../contract/provider/requests.ts";
import type { ProviderUnderTest } from "../../contract/provider/under-test.ts";

/** An answer word for word. */
export const geminiAnswer = (parts: object[], finishReason: string, more: object = {}) => ({
  responseId: "reply_1",
  candidates: [{ index: 0, content: { role: "model", parts }, finishReason }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  ...more,
});

const calling = (functionCallingConfig: object) => ({ toolConfig: { functionCallingConfig } });

/** How the contract looks in Gemini's API. */
export const GEMINI: ProviderUnderTest = {
  providerKey: "gemini",
  model: "gemini-2.5-flash",
  variables: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "a-key" }),
  signInWords: "GEMINI_API_KEY",
  inBody: {
    system: {
      systemInstruction: { parts: [{ text: "You are terse." }] },
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    },
    toolSpec: {
      tools: [
        {
          functionDeclarations: [
            { name: "lookup", description: "Looks a country up.", parametersJsonSchema: LOOKUP.inputSchema },
          ],
        },
      ],
    },
    toolRound: {
      contents: [
        { role: "user" },
        {
          role: "model",
          parts: [{ functionCall: { id: "call_a", name: "lookup", args: { country: "France" } } }],
        },
        {
          role: "user",
          parts: [{ functionResponse: { id: "call_a", name: "lookup", response: { output: "Paris" } } }],
        },
      ],
    },
    failedTool: {
      contents: [
        { role: "user" },
        { role: "model" },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "call_a", name: "lookup", response: { output: "Paris" } } },
            { functionResponse: { id: "call_b", name: "lookup", response: { error: "no such country" } } },
          ],
        },
      ],
    },
    image: {
      contents: [
        { parts: [{ text: "What is this?" }, { inlineData: { mimeType: "image/png", data: PNG } }] },
      ],
    },
    toolImage: {
      contents: [
        { role: "user" },
        { role: "model" },
        {
          role: "user",
          parts: [
            {
              functionResponse: {
                ...{ id: "call_a", name: "lookup" },
                response: { output: "A map:\n[image image/png]" },
              },
            },
            { text: "The images in the results above, in their order:" },
            { inlineData: { mimeType: "image/png", data: PNG } },
          ],
        },
      ],
    },
    outputSchema: {
      generationConfig: { responseMimeType: "application/json", responseJsonSchema: CITY_SCHEMA },
    },
    maxTokens: { generationConfig: { maxOutputTokens: 64 } },
    temperature: { generationConfig: { temperature: 0.5 } },
    topP: { generationConfig: { topP: 0.5 } },
    serviceTier: { serviceTier: "flex" },
    stop: { generationConfig: { stopSequences: ["END"] } },
    seed: { generationConfig: { seed: 7 } },
    reasoningEffort: { generationConfig: { thinkingConfig: { thinkingBudget: 2_048 } } },
    toolChoice: {
      auto: calling({ mode: "AUTO" }),
      required: calling({ mode: "ANY" }),
      none: calling({ mode: "NONE" }),
      lookup: calling({ mode: "ANY", allowedFunctionNames: ["lookup"] }),
    },
  },
  answers: {
    usage: {
      body: geminiAnswer([{ text: "Paris" }], "STOP", {
        usageMetadata: {
          ...{ promptTokenCount: 90, toolUsePromptTokenCount: 10, cachedContentTokenCount: 40 },
          ...{ candidatesTokenCount: 20, thoughtsTokenCount: 5, totalTokenCount: 125 },
        },
      }),
      usage: { inputTokens: 100, outputTokens: 25, cachedInputTokens: 40, reasoningTokens: 5 },
    },
    length: geminiAnswer([{ text: "Par" }], "MAX_TOKENS"),
    refusal: geminiAnswer([], "SAFETY"),
    empty: { candidates: [{ content: { role: "model" }, finishReason: "STOP" }] },
  },
};
