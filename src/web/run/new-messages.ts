import type { Json } from "../../domain/json.ts";
import type { TranscriptStep } from "../../domain/run/log-entry.ts";

export interface ShownMessage {
  readonly role: string;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: Json }[];
}

type Fields = { readonly [key: string]: Json };

/** Finds the messages of each model call that the call before it did not have: agents send the whole conversation. */
export function newMessages(
  steps: readonly TranscriptStep[],
): ReadonlyMap<TranscriptStep, readonly ShownMessage[]> {
  const shown = new Map<TranscriptStep, readonly ShownMessage[]>();
  let before: readonly string[] = [];
  let replied = "";
  for (const step of steps) {
    if (step.kind !== "model_call") continue;
    const messages = messagesOf(step.request);
    const texts = messages.map((message) => JSON.stringify(message));
    const same = texts.findIndex((text, index) => text !== before[index]);
    const fresh = messages.slice(same === -1 ? texts.length : same).map(shownMessage);
    // What the model replied before comes back as the first new message.
    shown.set(step, sayingOf(fresh[0]) === replied ? fresh.slice(1) : fresh);
    before = texts;
    replied = step.reply === null ? "" : sayingOf(shownMessage(step.reply));
  }
  return shown;
}

const sayingOf = (message: ShownMessage | undefined): string =>
  message === undefined ? "nothing" : JSON.stringify([message.text, message.calls]);

/** Requests of our own providers, and of agents that bring their own SDK. */
function messagesOf(request: Json): readonly Json[] {
  const { messages, input, contents } = fieldsOf(request);
  for (const list of [messages, input, contents]) if (isList(list)) return list;
  return typeof input === "string" ? [{ role: "user", content: input }] : [];
}

export function shownMessage(message: Json): ShownMessage {
  const { role, type, content, parts, output, toolCalls, tool_calls: theirs } = fieldsOf(message);
  const calls = isList(toolCalls) ? toolCalls : theirs;
  return {
    role: [role, type].find((word) => typeof word === "string") ?? "message",
    text: textOf(content ?? parts ?? output ?? (calls === undefined ? message : "")),
    calls: isList(calls) ? calls.map(readCall) : [],
  };
}

function readCall(call: Json): { name: string; input: Json } {
  const { name, input, function: called } = fieldsOf(call);
  const inner = fieldsOf(called ?? null);
  return { name: String(name ?? inner.name ?? "tool"), input: input ?? inner.arguments ?? null };
}

function textOf(content: Json): string {
  if (typeof content === "string") return content;
  if (!isList(content)) return content === null ? "" : JSON.stringify(content, null, 2);
  return content.map(partText).join("\n");
}

function partText(part: Json): string {
  const { text, kind, type, mediaType } = fieldsOf(part);
  if (typeof text === "string") return text;
  if (kind === "image" || type === "image_url") return `[image${mediaType ? ` ${String(mediaType)}` : ""}]`;
  return JSON.stringify(part, null, 2);
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const fieldsOf = (value: Json): Fields =>
  typeof value === "object" && value !== null && !isList(value) ? (value as Fields) : {};
