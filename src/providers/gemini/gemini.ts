import { GoogleGenAI } from "@google/genai";
import { patientFetch } from "../patient-fetch.ts";
import type { ChatProvider, ChatRequest, ProviderSettings } from "../provider.ts";
import { geminiFailure, readGeminiAnswer, readGeminiStream } from "./reply.ts";
import { toGeminiParameters } from "./request.ts";

/** Gemini over Google's own API. */
export function geminiProvider(settings: ProviderSettings): Required<ChatProvider> {
  const send = patientFetch();
  const client = new GoogleGenAI({
    // Otherwise the environment may send it to Vertex.
    vertexai: false,
    // Previews, of models and of fields, are in this version alone.
    apiVersion: "v1beta",
    ...(settings.apiKey === null ? {} : { apiKey: settings.apiKey }),
    httpOptions: {
      ...(settings.baseUrl === null ? {} : { baseUrl: settings.baseUrl }),
      // Without `retryOptions` the SDK does not try again.
      fetch: async (url, init) => {
        const answer = await send(url, init);
        if (answer.ok) return answer;
        throw await geminiFailure(settings, answer);
      },
    },
  });
  return {
    async generate(request, options) {
      const answer = await client.models.generateContent(withSignal(request, options?.signal));
      return readGeminiAnswer(answer, request.messages.length);
    },
    async *stream(request, options) {
      const pieces = await client.models.generateContentStream(withSignal(request, options?.signal));
      yield* readGeminiStream(pieces, request.messages.length);
    },
  };
}

function withSignal(request: ChatRequest, signal: AbortSignal | undefined) {
  const parameters = toGeminiParameters(request);
  if (signal === undefined) return parameters;
  return { ...parameters, config: { ...parameters.config, abortSignal: signal } };
}
