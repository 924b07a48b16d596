import { plural } from "../domain/format.ts";
import { definedFields } from "../domain/json.ts";
import { isImage, textOfContent } from "../domain/run/parts.ts";
import type { ChatReply, Message, ToolCall } from "../providers/provider.ts";

/** The part of a tool's output that stays when the conversation gets too long. */
const KEPT_CHARACTERS = 400;
/** Four characters are about one token. */
const CHARACTERS_PER_TOKEN = 4;
/** An image takes about 1,500 tokens, however many bytes it has. */
const IMAGE_CHARACTERS = 1_500 * CHARACTERS_PER_TOKEN;

type ToolMessage = Extract<Message, { role: "tool" }>;

interface Trimmed {
  readonly outputs: number;
  readonly characters: number;
}

/** The messages so far, and a guess at how much of the model's context they take. */
export class Conversation {
  readonly #messages: Message[] = [];
  /** Places of the tool outputs that were cut already. */
  readonly #trimmed = new Set<number>();
  #reportedTokens = 0;
  #charactersSince = 0;

  constructor(opening: readonly Message[]) {
    for (const message of opening) this.#add(message);
  }

  messages(): Message[] {
    return [...this.#messages];
  }

  hear({ content, toolCalls, opaque, usage }: ChatReply): void {
    this.#add({ role: "assistant", content, toolCalls, ...definedFields({ opaque }) });
    if (usage === null) return;
    this.#reportedTokens = usage.inputTokens + usage.outputTokens;
    this.#charactersSince = 0;
  }

  ask(text: string): void {
    this.#add({ role: "user", content: text });
  }

  answer(call: ToolCall, content: ToolMessage["content"], isError: boolean): void {
    this.#add({ role: "tool", toolCallId: call.id, content, isError });
  }

  get tokens(): number {
    return this.#reportedTokens + Math.ceil(this.#charactersSince / CHARACTERS_PER_TOKEN);
  }

  /** Cuts the oldest tool outputs down until `tokens` are freed, at least one of them; null when none is left. */
  trim(tokens: number): Trimmed | null {
    let outputs = 0;
    let characters = 0;
    for (const [index, message] of this.#messages.entries()) {
      if (outputs > 0 && characters >= tokens * CHARACTERS_PER_TOKEN) break;
      if (message.role !== "tool" || this.#trimmed.has(index)) continue;
      const shorter = shorten(message);
      if (shorter === null) continue;
      this.#messages[index] = shorter;
      this.#trimmed.add(index);
      outputs++;
      characters += sizeOf(message) - sizeOf(shorter);
    }
    this.#charactersSince -= characters;
    return outputs === 0 ? null : { outputs, characters };
  }

  #add(message: Message): void {
    this.#messages.push(message);
    this.#charactersSince += sizeOf(message);
  }
}

function shorten(message: ToolMessage): ToolMessage | null {
  const { content } = message;
  const text = textOfContent(content);
  const images = typeof content === "string" ? 0 : content.filter(isImage).length;
  const had = images === 0 ? `${text.length} characters` : plural(images, "image");
  const mark = `… [trimmed: this output had ${had}]`;
  if (images === 0 && text.length <= KEPT_CHARACTERS + mark.length) return null;
  return { ...message, content: `${text.slice(0, KEPT_CHARACTERS)}${mark}` };
}

function sizeOf(message: Message): number {
  let images = 0;
  const text = JSON.stringify(message, (_, value: unknown) => {
    if (!isImage(value)) return value;
    images++;
    return undefined;
  });
  return text.length + images * IMAGE_CHARACTERS;
}

/** Words in which known providers and servers say that a conversation is too long for the model. */
const OVERFLOW_MESSAGES = [
  /context[_ ](?:length|window|size|limit)/i,
  /prompt is too long/i,
  /input is too long/i,
  /too many (?:input )?tokens/i,
  /input token count .*exceeds/i,
  /inputs`? (?:tokens \+|must have less than)/i,
  /exceeds? the (?:model'?s? )?max(?:imum)?(?: number of)? (?:input )?tokens/i,
];

/** Tells whether a model call failed because the conversation does not fit the model's context. */
export const saysContextOverflow = (error: unknown): error is Error =>
  error instanceof Error &&
  "code" in error &&
  error.code === "provider_error" &&
  OVERFLOW_MESSAGES.some((words) => words.test(error.message));
