import * as z from "zod";
import type { Json } from "../domain/json.ts";
import { AnthropicAnswer, toAnthropicReply } from "./anthropic-reply.ts";
import type { ChatChunk } from "./contract.ts";
import { toToolInput } from "./tool-input.ts";

const Fields = z.looseObject({});
const index = z.int().nonnegative();

const StreamEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message_start"),
    message: z.object({ id: z.string().nullish(), usage: Fields.nullish() }),
  }),
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
  readonly #blocks: WholeBlock[] = [];

  /** Gives the visible text of the event. */
  add(event: z.infer<typeof StreamEvent>): string {
    switch (event.type) {
      case "message_start":
        this.#fields = { id: event.message.id };
        this.#addUsage(event.message.usage);
        return "";
      case "content_block_start":
        this.#blocks[event.index] = new WholeBlock(event.content_block);
        return typeof event.content_block.text === "string" ? event.content_block.text : "";
      case "content_block_delta":
        this.#blocks[event.index]?.add(event.delta);
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

  /** The last counts are for the whole message, and may leave out those that did not change. */
  #addUsage(usage: { [key: string]: unknown } | null | undefined): void {
    const counted = Object.entries(usage ?? {}).filter(([, count]) => count != null);
    if (usage != null) this.#usage = { ...this.#usage, ...Object.fromEntries(counted) };
  }

  answer(): AnthropicAnswer {
    if (!this.#isWhole) throw new Error("the stream ended before the reply did");
    const content = this.#blocks.filter((block) => block !== undefined).map((block) => block.toBlock());
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
