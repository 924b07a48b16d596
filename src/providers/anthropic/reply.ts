import * as z from "zod";
import { Json } from "../../domain/json.ts";
import { parseAnswer } from "../failed-call.ts";
import type { ChatChunk, ChatReply } from "../provider.ts";
import { readMessagesUsage } from "../usage.ts";
import { CLAUDE_FINISH_REASONS, IndexedPieces, toToolInput } from "../wire.ts";
import { anthropicOpaque } from "./request.ts";

const Fields = z.looseObject({});
const index = z.int().nonnegative();

const MessageStart = z.object({
  type: z.literal("message_start"),
  message: z.object({
    id: z.string().nullish(),
    usage: Fields.nullish(),
    /** A call that code of the model made comes whole in the first event. */
    content: z.array(Fields).nullish(),
    stop_reason: z.string().nullish(),
  }),
});

const StreamEvent = z.discriminatedUnion("type", [
  MessageStart,
  z.object({ type: z.literal("content_block_start"), index, content_block: Fields }),
  z.object({
    type: z.literal("content_block_delta"),
    index,
    delta: z
      .object({ text: z.string(), partial_json: z.string(), thinking: z.string(), signature: z.string() })
      .partial(),
  }),
  z.object({ type: z.literal("message_delta"), delta: Fields, usage: Fields.nullish() }),
  z.object({ type: z.literal("message_stop") }),
]);

const HasKnownType = z.object({ type: z.enum(StreamEvent.options.map((option) => option.shape.type.value)) });

/** Puts the events of a stream together: text as it comes, then the reply that the same call gives in one piece. */
export async function* readAnthropicStream(events: AsyncIterable<unknown>): AsyncGenerator<ChatChunk> {
  const whole = new WholeMessage();
  for await (const event of events) {
    // The API says that new kinds of events may come, and to pass over them.
    if (!HasKnownType.safeParse(event).success) continue;
    const text = whole.add(StreamEvent.parse(event));
    if (text !== "") yield { kind: "text", text };
  }
  yield { kind: "reply", reply: toAnthropicReply(whole.answer()) };
}

class WholeMessage {
  #fields: { [key: string]: unknown } = {};
  #usage: { [key: string]: unknown } | null = null;
  #isWhole = false;
  #blocks = new IndexedPieces<WholeBlock>();

  /** Gives the visible text of the event. */
  add(event: z.infer<typeof StreamEvent>): string {
    switch (event.type) {
      case "message_start":
        this.#begin(event.message);
        return "";
      case "content_block_start":
        this.#blocks.at(event.index, () => new WholeBlock(event.content_block));
        return typeof event.content_block.text === "string" ? event.content_block.text : "";
      case "content_block_delta":
        this.#blocks.at(event.index)?.add(event.delta);
        return event.delta.text ?? "";
      case "message_delta":
        Object.assign(this.#fields, event.delta);
        this.#addUsage(event.usage);
        return "";
      case "message_stop":
        this.#isWhole = true;
        return "";
    }
  }

  /** A second beginning is that of another try: what came before it is void. */
  #begin({ id, usage, content, stop_reason }: z.infer<typeof MessageStart>["message"]): void {
    this.#fields = { id, stop_reason };
    this.#usage = null;
    this.#blocks = new IndexedPieces<WholeBlock>();
    for (const [index, block] of (content ?? []).entries())
      this.#blocks.at(index, () => new WholeBlock(block));
    this.#addUsage(usage);
  }

  /** The last counts are for the whole message, and may leave out those that did not change. */
  #addUsage(usage: { [key: string]: unknown } | null | undefined): void {
    const counted = Object.entries(usage ?? {}).filter(([, count]) => count != null);
    if (usage != null) this.#usage = { ...this.#usage, ...Object.fromEntries(counted) };
  }

  answer(): AnthropicAnswer {
    if (!this.#isWhole) throw new Error("the stream ended before the reply did");
    const content = this.#blocks.inOrder().map((block) => block.toBlock());
    return AnthropicAnswer.parse({ ...this.#fields, usage: this.#usage, content });
  }
}

class WholeBlock {
  readonly #start: { [key: string]: unknown };
  readonly #texts: { [field: string]: string } = {};

  constructor(start: { [key: string]: unknown }) {
    this.#start = start;
  }

  add(delta: { [field: string]: string | undefined }): void {
    for (const [field, piece] of Object.entries(delta)) {
      this.#texts[field] = (this.#texts[field] ?? "") + (piece ?? "");
    }
  }

  toBlock(): { [key: string]: unknown } {
    const { partial_json, ...texts } = this.#texts;
    const block = { ...this.#start };
    for (const [field, text] of Object.entries(texts)) block[field] = `${block[field] ?? ""}${text}`;
    const input: Json | undefined = partial_json === undefined ? undefined : toToolInput(partial_json);
    return input === undefined ? block : { ...block, input };
  }
}

const AnswerBlock = z.union([
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: Json }),
  z.looseObject({ type: z.string() }),
]);
type AnswerBlock = z.infer<typeof AnswerBlock>;

/** What is read of an answer of Anthropic's Messages API. */
const AnthropicAnswer = z.object({
  id: z.string().nullish(),
  content: z.array(AnswerBlock),
  stop_reason: z.string(),
  stop_details: z.object({ explanation: z.string().nullish() }).nullish(),
  usage: z.unknown().optional(),
});
type AnthropicAnswer = z.infer<typeof AnthropicAnswer>;

/** Reads an answer of Anthropic's Messages API. */
export const readAnthropicAnswer = (answer: unknown): ChatReply =>
  toAnthropicReply(parseAnswer(AnthropicAnswer, answer, ({ usage }) => readMessagesUsage(usage).usage));

function toAnthropicReply(answer: AnthropicAnswer): ChatReply {
  const { content: blocks, stop_reason, stop_details, usage } = answer;
  const text = blocks.map((block) => (isText(block) ? block.text : "")).join("");
  const toolCalls = blocks.filter(isToolUse).map(({ id, name, input }) => ({ id, name, input }));
  const isPlain = blocks.every((block) => isText(block) || isToolUse(block));
  return {
    content: text || (stop_reason === "refusal" ? (stop_details?.explanation ?? "") : ""),
    toolCalls,
    finishReason: CLAUDE_FINISH_REASONS[stop_reason] ?? "other",
    ...readMessagesUsage(usage),
    id: answer.id ?? null,
    // Blocks come out of JSON.
    ...(isPlain ? {} : { opaque: anthropicOpaque(blocks as readonly Json[]) }),
  };
}

const isText = (block: AnswerBlock): block is Extract<AnswerBlock, { type: "text"; text: string }> =>
  block.type === "text" && "text" in block;

const isToolUse = (block: AnswerBlock): block is Extract<AnswerBlock, { type: "tool_use"; id: string }> =>
  block.type === "tool_use" && "input" in block;
