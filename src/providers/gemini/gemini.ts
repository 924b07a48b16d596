import { GoogleGenAI } from "@google/genai";
import { definedFields } from "../../domain/json.ts";
import { patientFetch } from "../patient-fetch.ts";
import type { CallOptions, ChatProvider, ChatRequest, ProviderSettings } from "../provider.ts";
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
      const answer = await client.models.generateContent(toParameters(request, options));
      return readGeminiAnswer(answer, request.messages.length);
    },
    async *stream(request, options) {
      const pieces = await client.models.generateContentStream(toParameters(request, options));
      yield* readGeminiStream(pieces, request.messages.length);
    },
  };
}

function toParameters(request: ChatRequest, { signal, headers, body }: CallOptions = {}) {
  const parameters = toGeminiParameters(request);
  const more = {
    ...(signal === undefined ? {} : { abortSignal: signal }),
    // The SDK merges it in the way that we do.
    httpOptions: definedFields({ headers: headers && { ...headers }, extraBody: body && { ...body } }),
  };
  return { ...parameters, config: { ...parameters.config, ...more } };
}
