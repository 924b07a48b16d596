import { isRecord, type Json, levelsOf, MAX_LEVELS, parseJson } from "../domain/json.ts";
import { isImage, textOfContent } from "../domain/run/parts.ts";
import type { Abilities } from "./abilities.ts";
import { type ChatReply, type ChatRequest, type Message, type Part, ProviderError } from "./provider.ts";

/** The keywords that OpenAI's strict mode knows; with any other it refuses the whole request. */
const KEYWORDS = new Set([
  ...["$schema", "$ref", "$defs", "title", "description", "type", "enum", "const", "anyOf"],
  ...["properties", "required", "additionalProperties", "items", "minItems", "maxItems"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["pattern", "format", "minLength", "maxLength"],
]);
const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/** Says whether OpenAI's strict mode takes this JSON Schema: closed objects whose every property is required. */
export const isStrictSchema = (schema: Json): boolean =>
  isRecord(schema) && schema.type === "object" && isStrict(schema);

function isStrict(schema: Json): boolean {
  if (!isRecord(schema) || Object.keys(schema).length === 0) return false;
  const { properties, items, anyOf, $defs, format } = schema;
  if (!Object.keys(schema).every((key) => KEYWORDS.has(key))) return false;
  if (typeof format === "string" && !FORMATS.includes(format)) return false;
  if ((schema.type === "object" || properties !== undefined) && !isClosed(schema)) return false;
  const inner = [...valuesOf(properties), ...valuesOf($defs), ...(items === undefined ? [] : [items])];
  return [...inner, ...(isList(anyOf) ? anyOf : [])].every(isStrict);
}

function isClosed({ properties, required, additionalProperties }: { readonly [key: string]: Json }): boolean {
  if (additionalProperties !== false || !isRecord(properties)) return false;
  const names = isList(required) ? required : [];
  return Object.keys(properties).every((name) => names.includes(name));
}

const valuesOf = (group: Json | undefined): readonly Json[] => (isRecord(group) ? Object.values(group) : []);

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
export type ToolMessage = Extract<Message, { role: "tool" }>;

/** Writes messages as the content blocks of one provider. */
interface BlockWriter<Block> {
  part(part: Part): Block;
  assistant(message: AssistantMessage): readonly Block[];
  toolResult(message: ToolMessage): Block;
}

/**
 * Marks where a prompt is cached: after what all calls begin with, after the last turn, and after the user's turn before
 * it, at which the last call ended. A cache looks back only so far from a mark.
 */
export function markedTurns<Block>(
  turns: readonly TurnOfBlocks<Block>[],
  mark: (content: Block[]) => Block[],
): TurnOfBlocks<Block>[] {
  const last = new Set(turns.filter(({ role }) => role === "user").slice(-2));
  return turns.map((turn) => (last.has(turn) ? { ...turn, content: mark(turn.content) } : turn));
}

interface TurnOfBlocks<Block> {
  readonly role: "user" | "assistant";
  readonly content: Block[];
}

/** Merges neighbours of one role into one turn, tool results into the user's, for providers that want strict turns. */
export function toTurns<Block>(
  messages: readonly Message[],
  blocks: BlockWriter<Block>,
): TurnOfBlocks<Block>[] {
  const turns: TurnOfBlocks<Block>[] = [];
  for (const message of messages) {
    const content = toBlocks(message, blocks);
    if (content.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content: [...content] });
  }
  return turns;
}

function toBlocks<Block>(message: Message, blocks: BlockWriter<Block>): readonly Block[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return typeof message.content === "string"
        ? [blocks.part({ kind: "text", text: message.content })]
        : message.content.map((part) => blocks.part(part));
    case "assistant":
      return blocks.assistant(message);
    case "tool":
      return [blocks.toolResult(message)];
  }
}

/** Puts the images that tools gave where the model takes them: into the results, after those of a round, or nowhere. */
export function placeResultImages(
  messages: readonly Message[],
  place: Abilities["resultImages"],
): readonly Message[] {
  if (place === "inside") return messages;
  const images: Part[] = [];
  return messages.flatMap((message, index): Message[] => {
    if (message.role !== "tool") return [message];
    if (typeof message.content !== "string") images.push(...message.content.filter(isImage));
    const result = { ...message, content: textOfContent(message.content) };
    const isLast = messages[index + 1]?.role !== "tool";
    if (!isLast || images.length === 0 || place === "nowhere") return [result];
    const text = "The images in the results above, in their order:";
    return [result, { role: "user", content: [{ kind: "text", text }, ...images.splice(0)] }];
  });
}

/** The parts of a content without blank texts, which some providers refuse. */
export const saidParts = (content: readonly Part[]): readonly Part[] =>
  content.filter((part) => part.kind !== "text" || part.text.trim() !== "");

/** All system messages as one text, for providers that take it apart from the conversation. */
export function systemText(request: ChatRequest, schemaToDescribe?: Json): string {
  const texts = request.messages.flatMap((message) => (message.role === "system" ? [message.content] : []));
  if (schemaToDescribe !== undefined) texts.push(schemaInWords(schemaToDescribe));
  return texts.filter((text) => text.trim() !== "").join("\n\n");
}

/** The instruction for a model that has no mode for this schema. */
const schemaInWords = (schema: Json) =>
  `Answer only with JSON, without code fences, that fits this JSON Schema:\n${JSON.stringify(schema)}`;

/** Parses the arguments of a tool call; invalid JSON stays text, so that the tool's schema refuses it with a reason. */
export function toToolInput(text: string): Json {
  if (text.trim() === "") return {};
  if (levelsOf(text) > MAX_LEVELS) {
    const message = `the model wrote tool arguments that are nested deeper than ${MAX_LEVELS} levels`;
    throw new ProviderError("limit", message, { retryable: false, usage: null });
  }
  const input = parseJson(text);
  return input === undefined ? text : (input as Json);
}

/** Wraps a tool call's input for providers that take only objects: a model may have written something else. */
export const toObjectInput = (input: Json): { [key: string]: Json } =>
  isRecord(input) ? { ...input } : { input };

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/** Checks the media type of an image for providers that read only some. */
export function readImageType(mediaType: string): (typeof IMAGE_TYPES)[number] {
  const known = IMAGE_TYPES.find((type) => type === mediaType);
  if (known !== undefined) return known;
  throw new ProviderError(
    "provider_error",
    `the model does not read images of the type ${mediaType}; convert it to one of ${IMAGE_TYPES.join(", ")}`,
    { retryable: false },
  );
}

/** Keeps the blocks of a reply but for calls that the agent left out: they have no result, and would be refused. */
export function keptBlocks<Block>(
  blocks: readonly Block[],
  toolCalls: AssistantMessage["toolCalls"],
  callIdOf: (block: Block) => string | undefined,
): Block[] {
  const ids = new Set(toolCalls.map(({ id }) => id));
  return blocks.filter((block) => {
    const id = callIdOf(block);
    return id === undefined || ids.has(id);
  });
}

/** Meanings of Claude's stop reasons, of which Bedrock has some more. */
export const CLAUDE_FINISH_REASONS: Readonly<Record<string, ChatReply["finishReason"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  content_filtered: "refusal",
  guardrail_intervened: "refusal",
  refusal: "refusal",
};

/** The blocks of a streamed reply by the index that its events name: any index, however large, costs one entry. */
export class IndexedPieces<Piece> {
  /** -1 while there is none. */
  lastIndex = -1;
  readonly #pieces = new Map<number, Piece>();

  at(index: number): Piece | undefined;
  at(index: number, make: () => Piece): Piece;
  at(index: number, make?: () => Piece): Piece | undefined {
    if (make !== undefined && !this.#pieces.has(index)) {
      this.#pieces.set(index, make());
      this.lastIndex = Math.max(this.lastIndex, index);
    }
    return this.#pieces.get(index);
  }

  inOrder(): Piece[] {
    return [...this.#pieces].toSorted(([a], [b]) => a - b).map(([, piece]) => piece);
  }
}

/** Adds further fields to a request's body: objects are merged, lists joined, and other values replaced. */
export function mergeFields<Body extends object>(
  body: Body,
  more: { readonly [field: string]: unknown } = {},
): Body {
  const merged = new Map<string, unknown>(Object.entries(body));
  for (const [name, added] of Object.entries(more)) {
    const own = merged.get(name);
    const isList = Array.isArray(own) && Array.isArray(added);
    const isObject = isRecord(own) && isRecord(added);
    if (isList) merged.set(name, [...own, ...added]);
    else merged.set(name, isObject ? mergeFields(own, added) : added);
  }
  // It has every field of the body; what others have become is up to the user.
  return Object.fromEntries(merged) as Body;
}
