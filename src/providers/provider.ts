import * as z from "zod";
import { Json } from "../domain/json.ts";
import { knownUsage } from "../domain/run/amounts.ts";
import { CallUsage } from "../domain/run/usage.ts";

export const ToolCall = z.object({ id: z.string(), name: z.string(), input: Json });
export type ToolCall = z.infer<typeof ToolCall>;

export const Part = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string() }),
  z.object({ kind: z.literal("image"), mediaType: z.string(), base64: z.string() }),
]);
export type Part = z.infer<typeof Part>;

const Content = z.union([z.string(), z.array(Part)]);

export const Message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: z.string() }),
  z.object({ role: z.literal("user"), content: Content }),
  z.object({
    role: z.literal("assistant"),
    content: z.string(),
    toolCalls: z.array(ToolCall),
    /** Data that the provider gave with the reply and wants back unchanged, such as thinking blocks. */
    opaque: Json.optional(),
  }),
  z.object({ role: z.literal("tool"), toolCallId: z.string(), content: Content, isError: z.boolean() }),
]);
export type Message = z.infer<typeof Message>;

export const ToolSpec = z.object({ name: z.string(), description: z.string(), inputSchema: Json });
export type ToolSpec = z.infer<typeof ToolSpec>;

/** How hard a model should think; not every model has every one of them. */
const Effort = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
export type Effort = z.infer<typeof Effort>;

export const ChatRequest = z.object({
  model: z.string(),
  messages: z.array(Message),
  tools: z.array(ToolSpec).optional(),
  toolChoice: z.union([z.enum(["auto", "required", "none"]), z.object({ name: z.string() })]).optional(),
  /** The reply's text is JSON of this shape. */
  outputSchema: Json.optional(),
  maxTokens: z.int().positive().optional(),
  reasoningEffort: Effort.optional(),
  temperature: z.number().optional(),
  topP: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
  stop: z.array(z.string()).optional(),
  /** How fast and at what price a call is served, in the provider's own words. */
  serviceTier: z.string().optional(),
  /** Marks the prompt for the provider's cache, where it keeps only what is marked. */
  cache: z.boolean().optional(),
  /** Asks for the reply as a stream where the provider has one, so that the time to the first token is known. */
  stream: z.boolean().optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

const FinishReason = z.enum(["stop", "tool_calls", "length", "refusal", "other"]);

export const ChatReply = z.object({
  content: z.string(),
  toolCalls: z.array(ToolCall),
  finishReason: FinishReason,
  /** Null where the provider did not say, or said what cannot be. */
  usage: CallUsage.nullable().catch(null).overwrite(knownUsage),
  /** What other models used within the call, such as an advisor, each at its own price; null where nobody knows. */
  otherUsage: z
    .array(z.object({ model: z.string(), usage: CallUsage.nullable().catch(null).overwrite(knownUsage) }))
    .optional(),
  /** The provider's own id of the reply. */
  id: z.string().nullable(),
  /** Goes back to the provider unchanged in the assistant message of the next request. */
  opaque: Json.optional(),
  /** What was not done as the request asked, or does not add up in the reply. */
  warnings: z.array(z.string()).optional(),
});
export type ChatReply = z.infer<typeof ChatReply>;

/** The part of a reply that is about its tokens. */
export type UsageReport = Pick<ChatReply, "usage" | "otherUsage" | "warnings">;

export type ChatChunk =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reply"; readonly reply: ChatReply };

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Added to the headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the body of the request, in the provider's own words. */
  readonly body?: { readonly [field: string]: Json };
}

/** `limit` is a reply that is larger or deeper than any reply of a model. */
type ProviderErrorCode = "rate_limited" | "provider_error" | "limit";

/**
 * Failure of a model call; `waitMs` is what the provider asked for before another try. `usage` is what the call used
 * nevertheless: null where it is not known, undefined where it used nothing.
 */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: ProviderErrorCode;
  readonly retryable: boolean;
  readonly waitMs: number | null;
  readonly usage: CallUsage | null | undefined;
  /** What every other call will fail with as well; null for all that may be different next time. */
  readonly trouble: ProviderTrouble | null;

  constructor(
    code: ProviderErrorCode,
    message: string,
    options: {
      retryable: boolean;
      waitMs?: number;
      usage?: CallUsage | null;
      trouble?: ProviderTrouble | null;
      cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
    this.waitMs = options.waitMs ?? null;
    this.usage = options.usage;
    this.trouble = options.trouble ?? null;
  }
}

/** Reason why a provider answers no call at all: it refuses the key, or cannot be reached. */
export type ProviderTrouble = "authentication" | "connection";

/** Calls models: the contract of every provider. */
export interface ChatProvider {
  generate(request: ChatRequest, options?: CallOptions): Promise<ChatReply>;
  /** The same call as a stream: pieces of text as they come, then the whole reply as the last item. */
  stream?(request: ChatRequest, options?: CallOptions): AsyncIterable<ChatChunk>;
}

export type ProviderFactory = (providerKey: string) => ChatProvider | Promise<ChatProvider>;

/** Provider that is called, and the variable that holds its key: null where the account's own role is the key. */
export interface CallPlace {
  readonly providerKey: string;
  readonly keyVariable: string | null;
}

/** Settings that a provider is made from, as read from the environment. */
export interface ProviderSettings extends CallPlace {
  /** What follows the colon in the key, as in `huggingface:together`. */
  readonly name: string | null;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}
