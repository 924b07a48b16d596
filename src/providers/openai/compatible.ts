import OpenAI from "openai";
import * as z from "zod";
import { streamedFailure } from "../failed-call.ts";
import { CALL_TIMEOUT_MS, patientFetch } from "../patient-fetch.ts";
import type { CallOptions, ChatProvider, ProviderSettings } from "../provider.ts";
import { mergeFields } from "../wire.ts";
import { readChatAnswer, readChatStream } from "./chat-reply.ts";
import { toChatBody } from "./chat-request.ts";

/** Any server that speaks Chat Completions: Ollama, vLLM, LM Studio, OpenRouter. */
export function openaiCompatibleProvider(settings: ProviderSettings): Required<ChatProvider> {
  const send = patientFetch();
  const client = new OpenAI({
    // The SDK insists on a key, also for servers that need none.
    apiKey: settings.apiKey ?? "none",
    baseURL: settings.baseUrl,
    // What the environment says about an OpenAI account is not for other servers.
    adminAPIKey: null,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: CALL_TIMEOUT_MS,
    logLevel: "off",
    ...(settings.apiKey === null ? { defaultHeaders: { authorization: null } } : {}),
  });
  const post = (given: object, { signal, headers, body: more }: CallOptions, stream: boolean) => {
    const body = mergeFields(given, more);
    const own = client.withOptions({
      fetch: (url, init) => send(url, { ...init, headers: { ...plainHeaders(init?.headers), ...headers } }),
    });
    return own.post("/chat/completions", { body, stream, ...(signal === undefined ? {} : { signal }) });
  };
  return {
    async generate(request, options = {}) {
      const answer = await post(toChatBody(request), options, false);
      throwIfFailed(settings, answer);
      return readChatAnswer(answer);
    },
    async *stream(request, options = {}) {
      const body = { ...toChatBody(request), stream: true, stream_options: { include_usage: true } };
      yield* readChatStream((await post(body, options, true)) as AsyncIterable<unknown>);
    },
  };
}

const PLAIN_HEADERS = ["accept", "authorization", "content-type", "user-agent"];

/** The SDK also adds headers of its own, and those in OPENAI_CUSTOM_HEADERS. */
const plainHeaders = (headers: ConstructorParameters<typeof Headers>[0]): Record<string, string> =>
  Object.fromEntries([...new Headers(headers)].filter(([name]) => PLAIN_HEADERS.includes(name)));

const Code = z.union([z.string(), z.number()]).nullish().catch(null);
const Failed = z.object({ error: z.object({ code: Code, message: z.string() }) });

/** OpenRouter answers 200 with an error inside when the model behind it failed. */
function throwIfFailed(settings: ProviderSettings, answer: unknown): void {
  const { success, data } = Failed.safeParse(answer);
  if (success) throw streamedFailure(settings, data.error);
}
