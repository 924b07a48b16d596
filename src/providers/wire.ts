import { type Json, levelsOf, MAX_LEVELS, parseJson } from "../domain/json.ts";
import type { CallUsage } from "../domain/run/usage.ts";
import type { ChatRequest, Message, Part } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";

type Schema = { readonly [key: string]: Json };

/** What OpenAI's strict mode knows; one word more, and it refuses the whole request. */
const KEYWORDS = new Set([
  ...["$schema", "$ref", "$defs", "title", "description", "type", "enum", "const", "anyOf"],
  ...["properties", "required", "additionalProperties", "items", "minItems", "maxItems"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["pattern", "format", "minLength", "maxLength"],
]);
const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/** Whether OpenAI's strict mode takes this JSON Schema: closed objects whose every property is required. */
export const isStrictSchema = (schema: Json): boolean =>
  isObject(schema) && schema.type === "object" && isStrict(schema);

function isStrict(schema: Json): boolean {
  if (!isObject(schema) || Object.keys(schema).length === 0) return false;
  const { properties, items, anyOf, $defs, format } = schema;
  if (!Object.keys(schema).every((key) => KEYWORDS.has(key))) return false;
  if (typeof format === "string" && !FORMATS.includes(format)) return false;
  if ((schema.type === "object" || properties !== undefined) && !isClosed(schema)) return false;
  const inner = [...valuesOf(properties), ...valuesOf($defs), ...(items === undefined ? [] : [items])];
  return [...inner, ...(isList(anyOf) ? anyOf : [])].every(isStrict);
}

function isClosed({ properties, required, additionalProperties }: Schema): boolean {
  if (additionalProperties !== false || !isObject(properties)) return false;
  const names = isList(required) ? required : [];
  return Object.keys(properties).every((name) => names.includes(name));
}

const valuesOf = (group: Json | undefined): readonly Json[] => (isObject(group) ? Object.values(group) : []);

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const isObject = (value: Json | undefined): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export type AssistantMessage = Extract<Message, { role: "assistant" }>;
export type ToolMessage = Extract<Message, { role: "tool" }>;

/** How one provider writes what each side says. */
interface TurnBlocks<Block> {
  part(part: Part): Block;
  assistant(message: AssistantMessage): readonly Block[];
  toolResult(message: ToolMessage): Block;
}

export interface Turn<Block> {
  readonly role: "user" | "assistant";
  readonly content: Block[];
}

/** The conversation as providers with strict turns want it: neighbours of one role are one turn, with what tools gave. */
export function toTurns<Block>(messages: readonly Message[], blocks: TurnBlocks<Block>): Turn<Block>[] {
  const turns: Turn<Block>[] = [];
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

/** What the system says goes elsewhere in a request. */
function toBlocks<Block>(message: Message, blocks: TurnBlocks<Block>): readonly Block[] {
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

/** All system messages as one text, for providers that keep it apart from the conversation. */
export function systemText(request: ChatRequest, unspokenSchema?: Json): string {
  const texts = request.messages.flatMap((message) => (message.role === "system" ? [message.content] : []));
  if (unspokenSchema !== undefined) texts.push(schemaInWords(unspokenSchema));
  return texts.filter((text) => text.trim() !== "").join("\n\n");
}

/** What a model is told that has no mode for this schema. */
const schemaInWords = (schema: Json) =>
  `Answer with JSON alone, without code fences, that fits this JSON Schema:\n${JSON.stringify(schema)}`;

/** The arguments of a tool call; text that is no JSON stays text, so that the tool's schema refuses it with a reason. */
export function toToolInput(text: string): Json {
  if (text.trim() === "") return {};
  if (levelsOf(text) > MAX_LEVELS) {
    const message = `the model wrote tool arguments that are nested deeper than ${MAX_LEVELS} levels`;
    throw new ProviderError("limit", message, { retryable: false });
  }
  const input = parseJson(text);
  return input === undefined ? text : (input as Json);
}

type JsonObject = { readonly [key: string]: Json };

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A tool call's input for providers that take nothing but objects: a model may have written something else. */
export const toObjectInput = (input: Json): { [key: string]: Json } =>
  isJsonObject(input) ? { ...input } : { input };

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/** The media type of an image, where a provider has a list of those it reads. */
export function readImageType(mediaType: string): (typeof IMAGE_TYPES)[number] {
  const known = IMAGE_TYPES.find((type) => type === mediaType);
  if (known !== undefined) return known;
  throw new ProviderError(
    "provider_error",
    `the model reads no image of the type ${mediaType}; convert it to one of ${IMAGE_TYPES.join(", ")}`,
    { retryable: false },
  );
}

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

type Tokens = number | null | undefined;

/** What a reply says of the cache that it filled, if it did. */
export const cacheWrites = (
  written: Tokens,
  forAnHour?: Tokens,
): Pick<CallUsage, "cacheWriteTokens" | "cacheWriteHourTokens"> => ({
  ...(written ? { cacheWriteTokens: written } : {}),
  ...(forAnHour ? { cacheWriteHourTokens: forAnHour } : {}),
});
