import type { Json } from "../../domain/json.ts";
import type { TranscriptStep } from "../../domain/transcript.ts";
import { formatDuration } from "../text/format-duration.ts";
import type { Line } from "../text/line.ts";
import { preview } from "../text/preview.ts";
import { textBlock } from "../text/text-block.ts";

type Step<Kind> = Extract<TranscriptStep, { kind: Kind }>;

/** What happened, in order: model calls with the message they answer, tool calls with their outcome, notes. */
export const transcriptLines = (steps: readonly TranscriptStep[], width: number): Line[] =>
  steps.flatMap((step) => stepLines(step, width));

const INDENT = "      ";

function stepLines(step: TranscriptStep, width: number): Line[] {
  switch (step.kind) {
    case "model_call":
      return modelCallLines(step, width);
    case "tool_call":
      return [[at(step), ["→ ", "cyan"], [`${step.tool} `, "bold"], [preview(step.input)]]];
    case "tool_result":
      return [
        [at(step), step.isError ? ["! ", "yellow"] : ["← ", "cyan"], [`${step.tool} `, "bold"]],
        ...textBlock(
          typeof step.output === "string" ? step.output : JSON.stringify(step.output),
          width,
          INDENT,
        ),
      ];
    case "note":
      return [
        [at(step), ["· "], [step.text]],
        ...(step.data === undefined ? [] : textBlock(JSON.stringify(step.data), width, INDENT)),
      ];
  }
}

const at = (step: TranscriptStep) => [`  ${formatDuration(step.atMs / 1_000)}  `, "dim"] as const;

function modelCallLines(step: Step<"model_call">, width: number): Line[] {
  const usage =
    step.usage === null ? "" : `, ${step.usage.inputTokens} tokens in, ${step.usage.outputTokens} out`;
  const retries = step.retries > 0 ? `, ${step.retries} retried` : "";
  const said = lastMessage(step.request);
  return [
    [
      at(step),
      ["◆ "],
      [`${step.providerKey}/${step.model}`, "bold"],
      [`  ${formatDuration(step.latencyMs / 1_000)}${usage}${retries}`, "dim"],
    ],
    ...(said === null ? [] : textBlock(`${said.role}: ${said.content}`, width, INDENT)),
    ...(step.error === null ? [] : textBlock(`error: ${step.error}`, width, INDENT)),
    ...(step.reply === null ? [] : replyLines(step.reply, width)),
  ];
}

function replyLines(reply: Json, width: number): Line[] {
  const content = field(reply, "content");
  const calls = field(reply, "toolCalls");
  return [
    ...(typeof content === "string" && content !== ""
      ? textBlock(`assistant: ${content}`, width, INDENT)
      : []),
    ...(isList(calls) ? calls : []).flatMap((call) =>
      textBlock(
        `assistant calls ${preview(field(call, "name"))} ${preview(field(call, "input"))}`,
        width,
        INDENT,
      ),
    ),
  ];
}

/** A request is kept as the agent sent it, so nothing about its shape is taken for granted. */
function lastMessage(request: Json): { role: string; content: string } | null {
  const messages = field(request, "messages");
  const last = isList(messages) ? messages.at(-1) : undefined;
  if (last === undefined) return null;
  const content = field(last, "content");
  return {
    role: preview(field(last, "role")) || "message",
    content: typeof content === "string" ? content : preview(content, 2_000),
  };
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

function field(value: Json, name: string): Json | undefined {
  if (value === null || typeof value !== "object" || isList(value)) return undefined;
  return value[name];
}
