import Anthropic from "@anthropic-ai/sdk";
import { CALL_TIMEOUT_MS, patientFetch } from "../patient-fetch.ts";
import type { CallOptions, ChatProvider, ChatRequest, ProviderSettings } from "../provider.ts";
import { mergeFields } from "../wire.ts";
import { readAnthropicAnswer, readAnthropicStream } from "./reply.ts";
import { type AnthropicBody, BINDING_BETA, toAnthropicBody } from "./request.ts";

/** The last version of the API that takes a temperature; those after it refuse the field from every model. */
const WITH_TEMPERATURE = "2023-06-01";

function headersFor(
  { temperature, top_p, thinking }: AnthropicBody,
  { "anthropic-beta": given, ...others }: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const isBound = thinking !== undefined && "block_binding" in thinking;
  const betas = [...(isBound ? [BINDING_BETA] : []), ...(given === undefined ? [] : [given])];
  return {
    ...(temperature === undefined && top_p === undefined ? {} : { "anthropic-version": WITH_TEMPERATURE }),
    ...(betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") }),
    ...others,
  };
}

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
  const post = (request: ChatRequest, { signal, headers, body: more }: CallOptions, stream: boolean) => {
    const body = mergeFields(toAnthropicBody(request), more);
    return client.post("/v1/messages", {
      body: stream ? { ...body, stream } : body,
      stream,
      headers: headersFor(body, headers),
      ...(signal === undefined ? {} : { signal }),
    });
  };
  return {
    async generate(request, options = {}) {
      return readAnthropicAnswer(await post(request, options, false));
    },
    async *stream(request, options = {}) {
      const events = await post(request, options, true);
      yield* readAnthropicStream(events as AsyncIterable<unknown>);
    },
  };
}
