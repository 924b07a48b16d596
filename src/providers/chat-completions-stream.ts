import * as z from "zod";
import { ChatAnswer, toChatReply } from "./chat-completions-reply.ts";
import type { ChatChunk } from "./contract.ts";

const ChatPiece = z.object({
  id: z.string().nullish(),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            reasoning_details: z.array(z.unknown()).nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int().nonnegative().nullish(),
                  id: z.string().nullish(),
                  function: z
                    .object({ name: z.string().nullish(), arguments: z.string().nullish() })
                    .nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
      }),
    )
    .default([]),
  usage: z.unknown().optional(),
});

/** Puts the pieces of a stream together: text as it comes, then the reply that the same call gives in one piece. */
export async function* readChatStream(pieces: AsyncIterable<unknown>): AsyncGenerator<ChatChunk> {
  const whole = new WholeAnswer();
  for await (const piece of pieces) {
    const text = whole.add(ChatPiece.parse(piece));
    if (text !== "") yield { kind: "text", text };
  }
  yield { kind: "reply", reply: toChatReply(whole.answer()) };
}

class WholeAnswer {
  #id: string | null = null;
  #usage: unknown = null;
  #finishReason: string | null = null;
  readonly #texts = { content: "", refusal: "", reasoning_content: "" };
  readonly #reasoningDetails: unknown[] = [];
  readonly #toolCalls: { id: string; function: { name: string; arguments: string } }[] = [];

  /** Gives the visible text of the piece. */
  add({ id, choices, usage }: z.infer<typeof ChatPiece>): string {
    this.#id = id ?? this.#id;
    this.#usage = usage ?? this.#usage;
    const [choice] = choices;
    this.#finishReason = choice?.finish_reason ?? this.#finishReason;
    const delta = choice?.delta;
    if (delta == null) return "";
    for (const name of ["content", "refusal", "reasoning_content"] as const) {
      this.#texts[name] += delta[name] ?? "";
    }
    for (const detail of delta.reasoning_details ?? []) this.#reasoningDetails.push(detail);
    for (const part of delta.tool_calls ?? []) this.#addToolCall(part);
    return delta.content || delta.refusal || "";
  }

  #addToolCall(part: {
    index?: number | null | undefined;
    id?: string | null | undefined;
    function?: { name?: string | null | undefined; arguments?: string | null | undefined } | null | undefined;
  }): void {
    const last = Math.max(0, this.#toolCalls.length - (part.id ? 0 : 1));
    const index = part.index ?? last;
    const call = this.#toolCalls[index] ?? { id: "", function: { name: "", arguments: "" } };
    this.#toolCalls[index] = call;
    call.id ||= part.id ?? "";
    call.function.name += part.function?.name ?? "";
    call.function.arguments += part.function?.arguments ?? "";
  }

  answer(): ChatAnswer {
    if (this.#finishReason === null) throw new Error("the stream ended before the reply did");
    const details = this.#reasoningDetails;
    return ChatAnswer.parse({
      id: this.#id,
      usage: this.#usage,
      choices: [
        {
          finish_reason: this.#finishReason,
          message: {
            ...this.#texts,
            ...(details.length === 0 ? {} : { reasoning_details: details }),
            tool_calls: this.#toolCalls,
          },
        },
      ],
    });
  }
}
