import {
  INFERENCE_PROVIDERS,
  InferenceClient,
  InferenceClientInputError,
  InferenceClientProviderOutputError,
  InferenceClientRoutingError,
  PROVIDERS_OR_POLICIES,
} from "@huggingface/inference";
import * as z from "zod";
import { definedFields, parseJson } from "../../domain/json.ts";
import { failedAnswer, UnreadableAnswer } from "../failed-call.ts";
import { readChatAnswer, readChatStream } from "../openai/chat-reply.ts";
import { toChatBody } from "../openai/chat-request.ts";
import { patientFetch } from "../patient-fetch.ts";
import {
  type CallOptions,
  type ChatProvider,
  type ChatRequest,
  ProviderError,
  type ProviderSettings,
} from "../provider.ts";
import { mergeFields } from "../wire.ts";

/** Models on Hugging Face's inference providers; without a name its router chooses one. */
export function huggingfaceProvider(settings: ProviderSettings): Required<ChatProvider> {
  // Only names of this list come here; without one the SDK chooses by itself.
  const provider = PROVIDERS_OR_POLICIES.find((known) => known === settings.name) ?? "auto";
  const toFetch = huggingfaceFetch(settings, INFERENCE_PROVIDERS);
  // The SDK goes through the router only with such a token; where we have our own address, any key will do.
  const client = new InferenceClient(settings.baseUrl === null ? (settings.apiKey ?? "") : "hf_by_our_fetch");
  const toArgs = (request: ChatRequest, { body }: CallOptions) => ({
    ...(mergeFields(toChatBody(request), body) as unknown as ChatArgs),
    provider,
  });
  const toOptions = (options: CallOptions) => ({
    retry_on_error: false,
    fetch: toFetch(options),
    ...definedFields({ signal: options.signal }),
  });
  return {
    async generate(request, options = {}) {
      const answer = await client
        .chatCompletion(toArgs(request, options), toOptions(options))
        .catch(throwFinal(settings));
      return readChatAnswer(answer);
    },
    async *stream(request, options = {}) {
      const args = { ...toArgs(request, options), stream_options: { include_usage: true } };
      try {
        yield* readChatStream(client.chatCompletionStream(args, toOptions(options)));
      } catch (error) {
        throwFinal(settings)(error);
      }
    },
  };
}

/** The SDK's own type for the body that we build; it passes on what it does not know. */
type ChatArgs = Parameters<InferenceClient["chatCompletion"]>[0];

/** What the SDK itself refuses will be refused again. */
const throwFinal =
  ({ providerKey }: ProviderSettings) =>
  (error: unknown): never => {
    if (error instanceof InferenceClientProviderOutputError) throw new UnreadableAnswer(error);
    const isFinal =
      error instanceof InferenceClientInputError || error instanceof InferenceClientRoutingError;
    if (!isFinal) throw error;
    const message = `${providerKey}: ${error.message}`;
    throw new ProviderError("provider_error", message, { retryable: false, cause: error });
  };

const HUB_HOST = "huggingface.co";

/**
 * The `fetch` of the SDK's calls. With a base URL of our own, requests go there instead of to the router, and the
 * hub is not asked who serves a model. An answer that is an error is thrown here, where its headers are still known.
 */
function huggingfaceFetch(place: ProviderSettings, providers: readonly string[]) {
  const send = patientFetch();
  return ({ signal, headers: more }: CallOptions): typeof fetch =>
    async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const isHub = url.hostname === HUB_HOST;
      if (place.baseUrl !== null && isHub) return Response.json(everyoneServes(url, providers));
      const answer = await send(targetOf(place, url), {
        ...init,
        headers: headersFor(place, init?.headers, isHub ? {} : more),
        // The SDK asks the hub without the signal.
        ...(signal === undefined ? {} : { signal }),
      });
      if (answer.ok) return answer;
      const text = await answer.text();
      throw failedAnswer(place, { status: answer.status, message: reasonIn(text), headers: answer.headers });
    };
}

/** The base URL stands for the router's; `/v1` at its end is the habit of other SDKs, and part of the path here. */
function targetOf({ baseUrl }: ProviderSettings, url: URL): URL {
  if (baseUrl === null) return url;
  return new URL(`${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}${url.pathname}${url.search}`);
}

function headersFor(
  { apiKey, baseUrl }: ProviderSettings,
  given: ConstructorParameters<typeof Headers>[0],
  more: CallOptions["headers"] = {},
): Headers {
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  if (baseUrl !== null && apiKey !== null) headers.set("authorization", `Bearer ${apiKey}`);
  return headers;
}

/** As the hub answers, for every provider: the SDK keeps it by model, whichever provider it asked for. */
function everyoneServes(url: URL, providers: readonly string[]) {
  const providerId = decodeURIComponent(url.pathname.replace(/^\/api\/models\//, ""));
  const mapping = { providerId, status: "live", task: "conversational" };
  return { inferenceProviderMapping: Object.fromEntries(providers.map((provider) => [provider, mapping])) };
}

const words = z.string().min(1);
const Reason = z.union([
  z.object({ error: z.object({ message: words }) }).transform(({ error }) => error.message),
  z.object({ error: words }).transform(({ error }) => error),
  z.object({ message: words }).transform(({ message }) => message),
  z.object({ detail: words }).transform(({ detail }) => detail),
]);

/** Each provider behind the router has its own shape of errors. */
const reasonIn = (text: string): string => Reason.safeParse(parseJson(text)).data ?? text.slice(0, 500);
