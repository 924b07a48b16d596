import Anthropic from "@anthropic-ai/sdk";
import { CALL_TIMEOUT_MS, patientFetch } from "../patient-fetch.ts";
import type { ChatProvider, ProviderSettings } from "../provider.ts";
import { readAnthropicAnswer, readAnthropicStream } from "./reply.ts";
import { type AnthropicBody, BINDING_BETA, toAnthropicBody } from "./request.ts";

/** The last version of the API that takes a temperature; those after it refuse the field from every model. */
const WITH_TEMPERATURE = "2023-06-01";

const headersFor = ({ temperature, thinking }: AnthropicBody): Record<string, string> => ({
  ...(temperature === undefined ? {} : { "anthropic-version": WITH_TEMPERATURE }),
  ...(thinking !== undefined && "block_binding" in thinking ? { "anthropic-beta": BINDING_BETA } : {}),
});

/** Claude over Anthropic's Messages API. */
export function anthropicProvider(settings: ProviderSettings): Required<ChatProvider> {
  const client = new Anthropic({
    apiKey: settings.apiKey,
    baseURL: settings.baseUrl,
    maxRetries: 0,
    timeout: CALL_TIMEOUT_MS,
    fetch: patientFetch(),
    logLevel: "off",
    openTelemetry: false,
  });
  // Not `messages.create`: it prints warnings about old models into the terminal.
  const post = (body: AnthropicBody, signal: AbortSignal | undefined, stream: boolean) =>
    client.post("/v1/messages", {
      body: stream ? { ...body, stream } : body,
      stream,
      headers: headersFor(body),
      ...(signal === undefined ? {} : { signal }),
    });
  return {
    async generate(request, options) {
      return readAnthropicAnswer(await post(toAnthropicBody(request), options?.signal, false));
    },
    async *stream(request, options) {
      const events = await post(toAnthropicBody(request), options?.signal, true);
      yield* readAnthropicStream(events as AsyncIterable<unknown>);
    },
  };
}
