import * as z from "zod";
import { Json } from "../../domain/json.ts";
import { parseAnswer } from "../failed-call.ts";
import type { ChatChunk, ChatReply, ToolCall } from "../provider.ts";
import { readOpenaiUsage } from "../usage.ts";
import { IndexedPieces, toToolInput } from "../wire.ts";

const text = z.string().nullish();

/** A part of a content that is a list, as Mistral's reasoning models write it; thinking is a list of texts itself. */
const ContentPart = z.looseObject({
  type: z.string(),
  text: text,
  thinking: z.array(z.looseObject({ text: text })).nullish(),
});
type ContentPart = z.infer<typeof ContentPart>;

/** Where servers put the model's thinking: the second is the word of Groq, vLLM and OpenRouter. */
const THOUGHTS = ["reasoning_content", "reasoning"] as const;

/** What a message and a piece of one have in common. */
const Said = z.object({
  content: z.union([z.string(), z.array(ContentPart)]).nullish(),
  refusal: text,
  reasoning_content: text,
  reasoning: text.catch(null),
  reasoning_details: Json.nullish(),
});
const CallPiece = z.object({
  index: z.int().nonnegative().nullish(),
  id: text,
  function: z.object({ name: text, arguments: text }).nullish(),
});
const ChatPiece = z.object({
  id: text,
  choices: z
    .array(
      z.object({
        finish_reason: text,
        delta: Said.extend({ tool_calls: z.array(CallPiece).nullish() }).nullish(),
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
  readonly #texts = { refusal: "", reasoning_content: "", reasoning: "" };
  readonly #content: ContentPart[] = [];
  readonly #reasoningDetails: unknown[] = [];
  readonly #toolCalls = new IndexedPieces<{ id: string; function: { name: string; arguments: string } }>();

  /** Gives the visible text of the piece. */
  add({ id, choices, usage }: z.infer<typeof ChatPiece>): string {
    this.#id = id ?? this.#id;
    this.#usage = usage ?? this.#usage;
    const [choice] = choices;
    this.#finishReason = choice?.finish_reason ?? this.#finishReason;
    const delta = choice?.delta;
    if (delta == null) return "";
    for (const name of ["refusal", ...THOUGHTS] as const) this.#texts[name] += delta[name] ?? "";
    for (const part of toParts(delta.content)) addPart(this.#content, part);
    for (const detail of [delta.reasoning_details ?? []].flat()) this.#reasoningDetails.push(detail);
    for (const part of delta.tool_calls ?? []) this.#addToolCall(part);
    return textIn(delta.content) || delta.refusal || "";
  }

  #addToolCall(part: z.infer<typeof CallPiece>): void {
    const { lastIndex } = this.#toolCalls;
    const index = part.index ?? (part.id ? lastIndex + 1 : Math.max(0, lastIndex));
    const call = this.#toolCalls.at(index, () => ({ id: "", function: { name: "", arguments: "" } }));
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
            content: this.#content,
            ...(details.length === 0 ? {} : { reasoning_details: details }),
            tool_calls: this.#toolCalls.inOrder(),
          },
        },
      ],
    });
  }
}

type Content = z.infer<typeof Said>["content"];

const toParts = (content: Content): readonly ContentPart[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);

const textIn = (content: Content): string =>
  toParts(content)
    .map(({ type, text }) => (type === "text" ? (text ?? "") : ""))
    .join("");

/** Pieces of one kind become one part. */
function addPart(parts: ContentPart[], part: ContentPart): void {
  const last = parts.at(-1);
  if (last?.type !== part.type) return void parts.push(part);
  const { text, thinking } = last;
  const thoughts = [...(thinking ?? []), ...(part.thinking ?? [])].map((thought) => thought.text ?? "");
  parts[parts.length - 1] = {
    ...{ ...last, ...part },
    ...(text == null && part.text == null ? {} : { text: `${text ?? ""}${part.text ?? ""}` }),
    ...(thoughts.length === 0 ? {} : { thinking: [{ type: "text", text: thoughts.join("") }] }),
  };
}

const AnswerCall = z.object({
  id: text,
  function: z.object({ name: z.string(), arguments: z.union([z.string(), Json]).nullish() }),
});
const AnswerMessage = Said.extend({ tool_calls: z.array(AnswerCall).nullish() });

/** What is read of an answer in the Chat Completions protocol. */
const ChatAnswer = z.object({
  id: text,
  choices: z.tuple([z.object({ finish_reason: text, message: AnswerMessage })], z.unknown()),
  usage: z.unknown().optional(),
});
type ChatAnswer = z.infer<typeof ChatAnswer>;

/** Reads an answer in the Chat Completions protocol. */
export const readChatAnswer = (answer: unknown): ChatReply =>
  toChatReply(parseAnswer(ChatAnswer, answer, ({ usage }) => readOpenaiUsage(usage).usage));

function toChatReply(answer: ChatAnswer): ChatReply {
  const [{ message, finish_reason }] = answer.choices;
  const toolCalls = (message.tool_calls ?? []).map((call, index) =>
    toToolCall(call, index, answer.id ?? "call"),
  );
  const opaque = toOpaque(message);
  return {
    content: textIn(message.content) || message.refusal || "",
    toolCalls,
    finishReason: message.refusal ? "refusal" : toFinishReason(finish_reason, toolCalls),
    ...readOpenaiUsage(answer.usage),
    id: answer.id ?? null,
    ...(opaque === null ? {} : { opaque }),
  };
}

/** Some servers give no id, and some give the arguments as an object. */
function toToolCall(call: z.infer<typeof AnswerCall>, index: number, replyId: string): ToolCall {
  const { name, arguments: given } = call.function;
  return {
    id: call.id || `${replyId}_${index}`,
    name,
    input: typeof given === "string" ? toToolInput(given) : (given ?? {}),
  };
}

function toFinishReason(
  reason: string | null | undefined,
  toolCalls: readonly ToolCall[],
): ChatReply["finishReason"] {
  if (reason === "length") return "length";
  if (reason === "content_filter") return "refusal";
  // Some servers end a tool round with `stop`.
  if (toolCalls.length > 0) return "tool_calls";
  return reason === "stop" || reason === "eos" ? "stop" : "other";
}

const Thinking = z.object({
  kind: z.literal("chat-completions"),
  thinking: z
    .object({
      reasoning_content: z.string(),
      reasoning: z.string(),
      reasoning_details: Json,
      content: z.array(Json),
    })
    .partial(),
});

/** Some models go on only if they get their thinking back with the tools' results. */
function toOpaque(message: z.infer<typeof AnswerMessage>): Json | null {
  const { content, reasoning_details } = message;
  const thoughts = THOUGHTS.flatMap((name) => (message[name] ? [[name, message[name]] as const] : []));
  const isPlain = toParts(content).every(({ type }) => type === "text");
  const thinking = {
    ...Object.fromEntries(thoughts),
    ...(reasoning_details == null ? {} : { reasoning_details }),
    // Parts come out of JSON.
    ...(isPlain ? {} : { content: content as readonly Json[] }),
  };
  return Object.keys(thinking).length === 0 ? null : { kind: "chat-completions", thinking };
}

/** Picks what goes back into an assistant message; what another provider gave is left out. */
export function chatOpaque(opaque: Json | undefined): { readonly [key: string]: Json } {
  const read = Thinking.safeParse(opaque);
  return read.success ? ({ ...read.data.thinking } as { readonly [key: string]: Json }) : {};
}
