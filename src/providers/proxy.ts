import type { Json } from "../domain/json.ts";
import type { ChatProvider, ChatReply, ChatRequest } from "./contract.ts";

export type SendCall = (
  providerKey: string,
  request: Json,
  signal: AbortSignal,
) => Promise<{ kind: "reply"; reply: Json } | { kind: "failed"; code: string; message: string }>;

/** What a provider is in the run's process: a name, and a way to the gateway that holds the key. */
export function proxyProvider(providerKey: string, send: SendCall, runSignal: AbortSignal): ChatProvider {
  return {
    async generate(request: ChatRequest, options): Promise<ChatReply> {
      const signal = options?.signal ? AbortSignal.any([options.signal, runSignal]) : runSignal;
      signal.throwIfAborted();
      const answer = await send(providerKey, request as Json, signal);
      if (answer.kind === "failed") throw new ModelCallError(answer.code, answer.message);
      // The gateway made this reply and checked it.
      return answer.reply as unknown as ChatReply;
    },
  };
}

/** A model call that failed for good, as the agent sees it. */
export class ModelCallError extends Error {
  override readonly name = "ModelCallError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
