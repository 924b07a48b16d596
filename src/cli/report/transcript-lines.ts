import type { Json } from "../../domain/json.ts";
import { formatDuration } from "../../domain/show/format-duration.ts";
import { preview } from "../../domain/show/preview.ts";
import type { TranscriptStep } from "../../domain/transcript.ts";
import { type Line, lineWidth } from "../text/line.ts";
import { textBlock } from "../text/text-block.ts";
import { padStart } from "../text/text-width.ts";
import { jsonField } from "./json-field.ts";
import { lastMessage } from "./last-message.ts";

type Step<Kind> = Extract<TranscriptStep, { kind: Kind }>;

/** What happened, in order: model calls with the message they answer, tool calls with their outcome, notes. */
export const transcriptLines = (steps: readonly TranscriptStep[], width: number): Line[] =>
  steps.flatMap((step) => stepLines(step, width));

const INDENT = "          ";

function stepLines(step: TranscriptStep, width: number): Line[] {
  switch (step.kind) {
    case "model_call":
      return modelCallLines(step, width);
    case "tool_call":
      return [[at(step), ["→ ", "cyan"], [`${step.tool} `, "bold"], [preview(step.input)]]];
    case "tool_result":
      return toolResultLines(step, width);
    case "note":
      return noteLines(step, width);
  }
}

function toolResultLines(step: Step<"tool_result">, width: number): Line[] {
  const output = typeof step.output === "string" ? step.output : JSON.stringify(step.output);
  const mark = step.isError ? (["! ", "yellow"] as const) : (["← ", "cyan"] as const);
  const head: Line = [at(step), mark, [`${step.tool} `, "bold"]];
  const isShort = !output.includes("\n") && lineWidth([...head, [output]]) <= width;
  return isShort ? [[...head, [output]]] : [head, ...textBlock(output, width, INDENT)];
}

function noteLines(step: Step<"note">, width: number): Line[] {
  const [first, ...more] = textBlock(step.text, width - 2, INDENT);
  return [
    [at(step), ["· "], [first?.[0]?.[0].trimStart() ?? ""]],
    ...more.map((line): Line => [["  "], ...line]),
    ...(step.data === undefined ? [] : textBlock(JSON.stringify(step.data), width, INDENT)),
  ];
}

/** As wide as the indent of what follows. */
const at = (step: TranscriptStep) =>
  [`${padStart(formatDuration(step.atMs / 1_000), INDENT.length - 2)}  `, "dim"] as const;

function modelCallLines(step: Step<"model_call">, width: number): Line[] {
  const usage =
    step.usage === null ? "" : `, ${step.usage.inputTokens} tokens in, ${step.usage.outputTokens} out`;
  const retries = step.retries > 0 ? `, ${step.retries} retried` : "";
  const first =
    step.firstTokenMs === undefined ? "" : `, first token ${formatDuration(step.firstTokenMs / 1_000)}`;
  const said = lastMessage(step.request);
  return [
    [
      at(step),
      ["◆ "],
      [`${step.providerKey}/${step.model}`, "bold"],
      [`  ${formatDuration(step.latencyMs / 1_000)}${first}${usage}${retries}`, "dim"],
    ],
    ...(said === null ? [] : textBlock(`${said.role}: ${said.content}`, width, INDENT)),
    ...(step.error === null ? [] : textBlock(`error: ${step.error}`, width, INDENT)),
    ...(step.reply === null ? [] : replyLines(step.reply, width)),
  ];
}

function replyLines(reply: Json, width: number): Line[] {
  const content = jsonField(reply, "content");
  const calls = jsonField(reply, "toolCalls");
  return [
    ...(typeof content === "string" && content !== ""
      ? textBlock(`assistant: ${content}`, width, INDENT)
      : []),
    ...(isList(calls) ? calls : []).flatMap((call) =>
      textBlock(
        `assistant calls ${preview(jsonField(call, "name"))} ${preview(jsonField(call, "input"))}`,
        width,
        INDENT,
      ),
    ),
  ];
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
