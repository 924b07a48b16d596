import * as z from "zod";
import type { Clock } from "../domain/clock.ts";
import { definedFields, Json } from "../domain/json.ts";
import { CallUsage, type Usage } from "../domain/run/usage.ts";
import {
  type ChatProvider,
  type ChatReply,
  type ChatRequest,
  type Message,
  ProviderError,
} from "./provider.ts";

/** The key of the provider that answers by itself, in this process. */
export const SCRIPTED = "scripted";

/** One scripted reply; the first rule whose `when` and `turn` fit the conversation answers. */
export const ScriptRule = z.strictObject({
  /** Part of the first user message; without it the rule fits every conversation. */
  when: z.string().optional(),
  /** Which model call of the conversation, from 1; without it any. */
  turn: z.int().positive().optional(),
  say: z.string().optional(),
  call: z.strictObject({ tool: z.string(), input: Json }).optional(),
  fail: z.enum(["rate_limited", "provider_error"]).optional(),
  latencyMs: z.number().nonnegative().max(600_000).default(0),
  usage: CallUsage.partial().optional(),
});
export type ScriptRule = z.input<typeof ScriptRule>;

/** Per model name: what it replies. */
export const Scripts = z.record(z.string(), z.array(ScriptRule));
export type Scripts = z.input<typeof Scripts>;

/** A model that is played from a script: no key, no network, the same replies every time. */
export function scriptedProvider(scripts: z.output<typeof Scripts>, clock: Clock): ChatProvider {
  return {
    async generate(request, options) {
      const rules = scripts[request.model];
      if (rules === undefined) throw missingScript(request.model, Object.keys(scripts));
      const rule = rules.find((candidate) => fits(candidate, request));
      if (rule === undefined) throw noRule(request);
      await clock.sleep(rule.latencyMs, options?.signal);
      return play(rule, request);
    },
  };
}

function fits(rule: z.output<typeof ScriptRule>, request: ChatRequest): boolean {
  const turn = 1 + request.messages.filter((message) => message.role === "assistant").length;
  if (rule.turn !== undefined && rule.turn !== turn) return false;
  return rule.when === undefined || firstUserText(request.messages).includes(rule.when);
}

function firstUserText(messages: readonly Message[]): string {
  const first = messages.find((message) => message.role === "user");
  if (first === undefined) return "";
  if (typeof first.content === "string") return first.content;
  return first.content.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

function play(rule: z.output<typeof ScriptRule>, request: ChatRequest): ChatReply {
  if (rule.fail !== undefined) {
    throw new ProviderError(rule.fail, `the script answers ${rule.fail}`, {
      retryable: rule.fail === "rate_limited",
    });
  }
  const content = rule.say ?? "";
  const turn = request.messages.length;
  const toolCalls = rule.call ? [{ id: `call_${turn}`, name: rule.call.tool, input: rule.call.input }] : [];
  return {
    content,
    toolCalls,
    finishReason: rule.call ? "tool_calls" : "stop",
    usage: { ...countTokens(request.messages, content, toolCalls), ...definedFields(rule.usage ?? {}) },
    id: null,
  };
}

/** Four characters are about one token; good enough for a simulation, and the same every time. */
function countTokens(messages: readonly Message[], content: string, toolCalls: readonly unknown[]): Usage {
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);
  return {
    inputTokens: tokens(messages),
    outputTokens: tokens([content, toolCalls]),
    cachedInputTokens: 0,
    reasoningTokens: 0,
  };
}

const missingScript = (model: string, known: readonly string[]) =>
  new ProviderError(
    "provider_error",
    `no script for the model "${model}"; the definition's \`scripts\` has ${known.join(", ") || "none"}`,
    { retryable: false },
  );

const noRule = (request: ChatRequest) =>
  new ProviderError(
    "provider_error",
    `the script of "${request.model}" has no rule for ${JSON.stringify(firstUserText(request.messages).slice(0, 80))}`,
    { retryable: false },
  );
