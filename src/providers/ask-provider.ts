import { type ChatProvider, ChatReply, type ChatRequest } from "./contract.ts";
import { ProviderError } from "./provider-error.ts";

export interface AskedReply {
  readonly reply: ChatReply;
  /** From the request to the first piece of text; null where no text came as a stream. */
  readonly firstTokenMs: number | null;
}

/** One call as the request wants it: as a stream where both sides can, else in one piece. */
export async function askProvider(
  provider: ChatProvider,
  request: ChatRequest,
  { signal, nowMs }: { signal: AbortSignal; nowMs: () => number },
): Promise<AskedReply> {
  if (!request.stream || provider.stream === undefined) {
    return { reply: ChatReply.parse(await provider.generate(request, { signal })), firstTokenMs: null };
  }
  const startedAtMs = nowMs();
  let firstTokenMs: number | null = null;
  for await (const chunk of provider.stream(request, { signal })) {
    if (chunk.kind === "reply") return { reply: ChatReply.parse(chunk.reply), firstTokenMs };
    firstTokenMs ??= Math.round(nowMs() - startedAtMs);
  }
  throw new ProviderError(
    "provider_error",
    `the stream of ${request.model} ended before its reply was whole`,
    {
      retryable: true,
    },
  );
}
