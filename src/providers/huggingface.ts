import {
  INFERENCE_PROVIDERS,
  InferenceClient,
  InferenceClientInputError,
  InferenceClientRoutingError,
  type InferenceProviderOrPolicy,
  PROVIDERS_OR_POLICIES,
} from "@huggingface/inference";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { ChatAnswer, toChatReply } from "./chat-completions-reply.ts";
import { toChatBody } from "./chat-completions-request.ts";
import { readChatStream } from "./chat-completions-stream.ts";
import type { CallOptions, ChatProvider, ChatRequest } from "./contract.ts";
import { huggingfaceFetch } from "./huggingface-fetch.ts";
import { ProviderError } from "./provider-error.ts";
import type { ProviderSettings } from "./provider-settings.ts";

/** Models on Hugging Face's inference providers; without a name its router chooses one. */
export function huggingfaceProvider(settings: ProviderSettings): ChatProvider {
  const provider = readProvider(settings.name ?? "auto");
  const toFetch = huggingfaceFetch(settings, INFERENCE_PROVIDERS);
  // The SDK goes through the router only with such a token; where we have our own address, any key will do.
  const client = new InferenceClient(settings.baseUrl === null ? (settings.apiKey ?? "") : "hf_by_our_fetch");
  const toArgs = (request: ChatRequest) => ({ ...(toChatBody(request) as unknown as ChatArgs), provider });
  const toOptions = (options: CallOptions | undefined) => ({
    retry_on_error: false,
    fetch: toFetch(options?.signal),
    ...options,
  });
  return {
    async generate(request, options) {
      const answer = await client
        .chatCompletion(toArgs(request), toOptions(options))
        .catch(throwFinal(settings));
      return toChatReply(ChatAnswer.parse(answer));
    },
    async *stream(request, options) {
      const args = { ...toArgs(request), stream_options: { include_usage: true } };
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

function readProvider(name: string): InferenceProviderOrPolicy {
  const found = PROVIDERS_OR_POLICIES.find((known) => known === name);
  if (found !== undefined) return found;
  throw new EvaluatorError(
    "provider.unknown",
    `Hugging Face has no provider "${name}"; known are ${INFERENCE_PROVIDERS.join(", ")}, and none for its own choice`,
  );
}

/** What the SDK itself refuses will be refused again. */
const throwFinal =
  ({ providerKey }: ProviderSettings) =>
  (error: unknown): never => {
    const isFinal =
      error instanceof InferenceClientInputError || error instanceof InferenceClientRoutingError;
    if (!isFinal) throw error;
    const message = `${providerKey}: ${error.message}`;
    throw new ProviderError("provider_error", message, { retryable: false, cause: error });
  };
