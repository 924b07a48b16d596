import type { ChatChunk, ChatProvider, ChatReply } from "./contract.ts";
import { type CallPlace, failedAnswer, lostAnswer } from "./failed-call.ts";
import { ProviderError } from "./provider-error.ts";

/** A provider that can only fail as the contract says: whatever its SDK throws becomes a ProviderError. */
export function guardedProvider(place: CallPlace, provider: ChatProvider): ChatProvider {
  const stream = provider.stream?.bind(provider);
  return {
    async generate(request, options): Promise<ChatReply> {
      options?.signal?.throwIfAborted();
      try {
        return await provider.generate(request, options);
      } catch (error) {
        throw asFailure(place, error, options?.signal);
      }
    },
    ...(stream === undefined
      ? {}
      : {
          async *stream(request, options): AsyncGenerator<ChatChunk> {
            options?.signal?.throwIfAborted();
            try {
              yield* stream(request, options);
            } catch (error) {
              throw asFailure(place, error, options?.signal);
            }
          },
        }),
  };
}

function asFailure(place: CallPlace, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  return ownFailure(error) ?? answeredFailure(place, error) ?? lostAnswer(place, error);
}

/** Some SDKs wrap what our own `fetch` threw. */
function ownFailure(error: unknown): ProviderError | undefined {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    if (inner instanceof ProviderError) return inner;
  }
  return undefined;
}

/** The SDKs' errors have the status, and most of them the headers, of the answer. */
function answeredFailure(place: CallPlace, error: unknown): ProviderError | undefined {
  if (!(error instanceof Error) || !("status" in error) || typeof error.status !== "number") return undefined;
  const headers = "headers" in error && error.headers instanceof Headers ? error.headers : undefined;
  const code = "code" in error ? error.code : undefined;
  return failedAnswer(place, { status: error.status, message: error.message, headers, code, cause: error });
}
