import OpenAI from "openai";
import { streamedFailure } from "../failed-call.ts";
import { CALL_TIMEOUT_MS, patientFetch } from "../patient-fetch.ts";
import type { ChatProvider, ChatReply, ProviderSettings } from "../provider.ts";
import { ResponsesAnswer, toResponsesBody, toResponsesReply } from "./responses.ts";

/** OpenAI's models, through the Responses API. */
export function openaiProvider(settings: ProviderSettings): Required<ChatProvider> {
  const client = new OpenAI({
    apiKey: settings.apiKey,
    baseURL: settings.baseUrl,
    adminAPIKey: null,
    maxRetries: 0,
    timeout: CALL_TIMEOUT_MS,
    logLevel: "off",
    fetch: patientFetch(),
  });
  const read = (answer: unknown) => readAnswer(settings, answer);
  return {
    async generate(request, options) {
      return read(await client.responses.create(toResponsesBody(request), { ...options }));
    },
    async *stream(request, options) {
      const events = await client.responses.create(
        { ...toResponsesBody(request), stream: true },
        { ...options },
      );
      for await (const event of events) {
        switch (event.type) {
          case "response.output_text.delta":
          case "response.refusal.delta":
            yield { kind: "text", text: event.delta };
            break;
          case "response.completed":
          case "response.incomplete":
          case "response.failed":
            yield { kind: "reply", reply: read(event.response) };
            return;
        }
      }
      throw new Error("the stream ended before the reply did");
    },
  };
}

/** A model that fails after the answer has begun says so within it. */
function readAnswer(settings: ProviderSettings, given: unknown): ChatReply {
  const answer = ResponsesAnswer.parse(given);
  if (answer.status !== "failed") return toResponsesReply(answer);
  throw streamedFailure(settings, answer.error ?? { code: "server_error", message: "" }, 400);
}
