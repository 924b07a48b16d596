import { formatCost, formatDuration, plural, preview } from "../../domain/format.ts";
import type { Json } from "../../domain/json.ts";
import { adviceOn } from "../../domain/run/failure.ts";
import {
  type CapturedOutput,
  entryModelKey,
  type LogEntry,
  type RunBody,
  type TranscriptStep,
} from "../../domain/run/log-entry.ts";
import { BLANK, type Line, lineWidth, textBlock, valueBlock } from "../text/screen.ts";
import { padStart } from "../text/width.ts";
import { jsonField } from "./document.ts";
import { numbersOf, verdictMark, verdictWord } from "./runs.ts";

/** Shows one run, from the problem to the last thing it printed; `rounds` has its earlier entries too. */
export function runPage(
  entry: LogEntry,
  rounds: readonly LogEntry[],
  body: RunBody | null,
  width: number,
): Line[] {
  const result = entry.result ?? body?.result ?? null;
  return [
    titleLine(entry),
    factsLine(entry, body),
    ...section("Problem", valueBlock(entry.problem, width), entry.problemId),
    ...(entry.expected === null ? [] : section("Expected", valueBlock(entry.expected, width))),
    ...(entry.failure === null || result !== null ? section("Result", valueBlock(result, width)) : []),
    ...(entry.reason === null ? [] : section("Reason", textBlock(entry.reason, width))),
    ...failureLines(entry, width),
    ...(entry.wasForged ? section("Forged entry", textBlock(FORGED, width)) : []),
    ...attemptLines(entry),
    ...roundLines(rounds),
    ...(body === null ? [] : section("Transcript", transcriptLines(body.transcript, width))),
    ...outputLines("Printed to stdout", body?.stdout, width),
    ...outputLines("Printed to stderr", body?.stderr, width),
  ];
}

const FORGED =
  "The store held another entry for this run that the evaluator had not written. It was replaced and does not count.";

function titleLine(entry: LogEntry): Line {
  const verdict = verdictWord(entry);
  const score = numbersOf(entry)
    .map(([name, value]) => `, ${name} ${value}`)
    .join("");
  return [
    verdictMark(verdict),
    [` ${verdict === "unscored" ? "not scored" : verdict}${score}`, "bold"],
    [`  ${entryModelKey(entry)}, trial ${entry.trial}`],
    [`  run ${entry.runId}`, "dim"],
  ];
}

function factsLine(entry: LogEntry, body: RunBody | null): Line {
  const tokens =
    entry.usage === null
      ? "tokens unknown"
      : `${entry.usage.inputTokens} tokens in, ${entry.usage.outputTokens} out`;
  const facts = [
    formatDuration(entry.runtimeSeconds),
    ...(entry.waitSeconds > 0 ? [`${formatDuration(entry.waitSeconds)} waiting ${waitedFor(body)}`] : []),
    plural(entry.turns, "model call"),
    tokens,
    `cost ${formatCost(entry.costUsd)}`,
  ];
  return [[facts.join(" · "), "dim"]];
}

/** A call that was tried again waited before that, whatever had refused it; any other wait is for a limit. */
function waitedFor(body: RunBody | null): string {
  const isRetried = body?.transcript.some((step) => step.kind === "model_call" && step.retries > 0);
  return isRetried ? "to try calls again" : "for rate limits";
}

function section(title: string, lines: readonly Line[], note = ""): Line[] {
  if (lines.length === 0) return [];
  return [
    BLANK,
    [
      [title, "bold"],
      [note === "" ? "" : `  ${note}`, "dim"],
    ],
    ...lines,
  ];
}

function failureLines({ failure }: LogEntry, width: number): Line[] {
  if (failure === null) return [];
  const { cause, fault, message } = failure;
  const blamed = fault === "stopped" ? fault : `blamed on ${fault}`;
  return section(
    `Failure: ${cause}`,
    [...textBlock(message, width), ...textBlock(`What to do: ${adviceOn(cause)}.`, width)],
    blamed,
  );
}

function attemptLines({ attempts }: LogEntry): Line[] {
  if (attempts.length < 2) return [];
  return section(
    "Attempts",
    attempts.map(
      ({ number, cause, message }): Line => [
        [`  ${number}. ${cause ?? "answered"}`],
        [message === null ? "" : `  ${message}`, "dim"],
      ],
    ),
  );
}

function roundLines(rounds: readonly LogEntry[]): Line[] {
  if (rounds.length < 2) return [];
  return section(
    "Rounds",
    rounds.map(
      (entry): Line => [[`  ${entry.round}. `], verdictMark(verdictWord(entry)), [` ${verdictWord(entry)}`]],
    ),
  );
}

function outputLines(title: string, output: CapturedOutput | undefined, width: number): Line[] {
  if (output === undefined || output.bytes === 0) return [];
  const dropped: Line[] =
    output.droppedBytes > 0 ? [[[`  … ${plural(output.droppedBytes, "byte")} not kept …`, "dim"]]] : [];
  const lines = [...textBlock(output.head, width), ...dropped, ...textBlock(output.tail, width)];
  return section(title, lines, plural(output.bytes, "byte"));
}

/** Finds the last message to a model. A request is kept as the agent sent it, so it may be of any provider's API. */
export function lastMessage(request: Json): { role: string; content: string } | null {
  const messages = firstField(request, ["messages", "input", "contents"]);
  if (typeof messages === "string") return { role: "user", content: messages };
  const last = isList(messages) ? messages.at(-1) : undefined;
  if (last === undefined) return null;
  return {
    role: preview(firstField(last, ["role", "type"])) || "message",
    content: textOf(firstField(last, ["content", "parts", "output"])),
  };
}

const firstField = (value: Json, names: readonly string[]): Json | undefined =>
  names.map((name) => jsonField(value, name)).find((field) => field !== undefined);

/** Texts as they are, on their own or as parts; anything else as JSON. */
function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  const texts = isList(content)
    ? content.map((part) => (jsonField(part, "kind") === "image" ? "[image]" : jsonField(part, "text")))
    : [];
  const isText = texts.length > 0 && texts.every((text) => typeof text === "string");
  return isText ? texts.join("\n") : preview(content, 2_000);
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

type Step<Kind> = Extract<TranscriptStep, { kind: Kind }>;

/** Lists the steps in order: model calls with the message they answer, tool calls with their outcome, notes. */
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
