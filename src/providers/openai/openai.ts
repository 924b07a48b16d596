import OpenAI from "openai";
import * as z from "zod";
import { definedFields } from "../../domain/json.ts";
import { streamedFailure } from "../failed-call.ts";
import { CALL_TIMEOUT_MS, patientFetch } from "../patient-fetch.ts";
import type { CallOptions, ChatProvider, ChatReply, ChatRequest, ProviderSettings } from "../provider.ts";
import { mergeFields } from "../wire.ts";
import { readResponsesAnswer, toResponsesBody } from "./responses.ts";

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
  // Not `responses.create`: it stumbles over an answer without output before we can say what was wrong with it.
  const post = (request: ChatRequest, { signal, headers, body }: CallOptions, stream: boolean) =>
    client.post("/responses", {
      body: { ...mergeFields(toResponsesBody(request), body), ...(stream ? { stream } : {}) },
      stream,
      ...definedFields({ headers }),
      ...(signal === undefined ? {} : { signal }),
    });
  return {
    async generate(request, options = {}) {
      return readAnswer(settings, await post(request, options, false));
    },
    async *stream(request, options = {}) {
      const events = (await post(request, options, true)) as AsyncIterable<unknown>;
      for await (const event of events) {
        const { data } = StreamEvent.safeParse(event);
        if (data === undefined) continue;
        if ("delta" in data) yield { kind: "text", text: data.delta };
        else return yield { kind: "reply", reply: readAnswer(settings, data.response) };
      }
      throw new Error("the stream ended before the reply did");
    },
  };
}

/** The events that count; there are many more. */
const StreamEvent = z.union([
  z.object({ type: z.enum(["response.output_text.delta", "response.refusal.delta"]), delta: z.string() }),
  z.object({
    type: z.enum(["response.completed", "response.incomplete", "response.failed"]),
    response: z.unknown(),
  }),
]);

const Failed = z.object({
  status: z.literal("failed"),
  error: z
    .object({ code: z.string().nullish(), message: z.string() })
    .nullish()
    .transform((error) => error ?? { code: "server_error", message: "" }),
});

/** A model that fails after the answer has begun says so within it. */
function readAnswer(settings: ProviderSettings, answer: unknown): ChatReply {
  const { success, data } = Failed.safeParse(answer);
  if (success) throw streamedFailure(settings, data.error, 400);
  return readResponsesAnswer(answer);
}
