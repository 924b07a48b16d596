import type { Schema, SchemaDraft } from "@cfworker/json-schema";
import type * as z from "zod";
import { definedFields, isRecord, type Json } from "../domain/json.ts";
import { isImage, isPart, textOfContent } from "../domain/run/parts.ts";
import type { Part, ToolCall } from "../providers/provider.ts";
import type { OpenTools, RunContext, Tool, ToolSource } from "./agent.ts";

/** Opens every source among the tools; what was opened is closed again, also when another one fails to open. */
export async function openTools(
  items: readonly (Tool | ToolSource)[],
  signal: AbortSignal,
): Promise<OpenTools> {
  const opened = await Promise.allSettled(items.map((item) => openItem(item, signal)));
  const open = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const close = async () => {
    await Promise.allSettled(open.map((each) => each.close()));
  };
  const failed = opened.find((result) => result.status === "rejected");
  if (failed === undefined) return { tools: open.flatMap(({ tools }) => tools), close };
  await close();
  throw failed.reason;
}

async function openItem(item: Tool | ToolSource, signal: AbortSignal): Promise<OpenTools> {
  const open = "open" in item ? await item.open(signal) : { tools: [item], close: async () => {} };
  return { ...open, tools: open.tools.map(inTime) };
}

/** Node ends a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Holds a tool to its own time, whichever agent calls it. */
function inTime(tool: Tool): Tool {
  const { timeoutSeconds, ...others } = tool;
  if (timeoutSeconds === undefined) return tool;
  const { name, description, inputSchema } = tool;
  const message = `${name} did not answer within ${timeoutSeconds} s (timeoutSeconds)`;
  return {
    ...{ ...others, name, description, inputSchema },
    async run(input, context) {
      const late = new AbortController();
      const gate = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => {
          late.abort(new Error(message));
          gate.reject(late.signal.reason);
        },
        Math.min(timeoutSeconds * 1_000, LONGEST_TIMER_MS),
      );
      const signal = AbortSignal.any([context.signal, late.signal]);
      try {
        return await Promise.race([tool.run(input, { ...context, signal }), gate.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

export interface ToolDefinition<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** How long a call may take; the run's own limits hold in any case. */
  readonly timeoutSeconds?: number;
  run(input: z.output<Input>, context: RunContext): unknown;
}

/** A tool whose input is checked before it runs; if it does not fit, the model gets the reason. */
export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const { jsonSchema, read } = toolInput(definition.input);
  return {
    name: definition.name,
    description: definition.description,
    inputSchema: jsonSchema,
    ...definedFields({ timeoutSeconds: definition.timeoutSeconds }),
    async run(input, context) {
      const fit = await read(input);
      if (fit.kind === "misfit") throw new TypeError(`the input does not fit: ${fit.why}`);
      return definition.run(fit.value as z.output<Input>, context);
    },
  };
}

interface ToolAnswer {
  readonly call: ToolCall;
  readonly content: string | Part[];
  readonly isError: boolean;
}

/** Runs tool calls side by side; each is in the transcript, and the answers come in the order of the calls. */
export const runTools = (
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  context: RunContext,
): Promise<ToolAnswer[]> =>
  Promise.all(
    calls.map(async (call) => {
      const { id, name: tool, input } = call;
      context.emit({ kind: "tool_call", id, tool, input });
      const answer = await answerCall(call, tools, context);
      const output = textOfContent(answer.content);
      context.emit({ kind: "tool_result", id, tool, output, isError: answer.isError });
      return { call, ...answer };
    }),
  );

/** A throwing or unknown tool answers the model with the error instead of ending the run. */
async function answerCall(
  call: ToolCall,
  tools: readonly Tool[],
  context: RunContext,
): Promise<Omit<ToolAnswer, "call">> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const known = tools.map(({ name }) => name).join(", ") || "none";
    return { content: `there is no tool "${call.name}"; the tools are: ${known}`, isError: true };
  }
  try {
    return { content: toContent(await tool.run(call.input, context)), isError: false };
  } catch (error) {
    return { content: errorText(error), isError: true };
  }
}

/** What a model is given of a tool's output: an image, or a list of texts and images, as such; all else as text. */
function toContent(value: unknown): string | Part[] {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return parts.some(isImage) && parts.every(isPart) ? parts.filter(isPart) : toText(value);
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "done";
  return JSON.stringify(value) ?? String(value);
}

export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error);

/** A schema as a tool's input, and how to read what a model wrote for it. */
export interface ToolInput {
  readonly jsonSchema: Json;
  read(input: unknown): Promise<Fit>;
}

/** A tool takes an object, so a text, a list or a choice goes into its field `value`. */
export function toolInput(schema: OutputSchema): ToolInput {
  const jsonSchema = toJsonSchema(schema);
  if (isRecord(jsonSchema) && takesObject(jsonSchema)) {
    return { jsonSchema: { type: "object", ...jsonSchema }, read: (input) => checkFit(schema, input) };
  }
  return { jsonSchema: wrap(jsonSchema), read: (input) => readValue(schema, input) };
}

async function readValue(schema: OutputSchema, input: unknown): Promise<Fit> {
  if (typeof input !== "object" || input === null || !("value" in input))
    return { kind: "misfit", why: 'the input is not an object with the field "value"' };
  const fit = await checkFit(schema, input.value);
  return fit.kind === "fits" ? fit : { kind: "misfit", why: `value: ${fit.why}` };
}

const takesObject = ({ type, properties }: { readonly [key: string]: Json }): boolean =>
  type === "object" || (type === undefined && properties !== undefined);

function wrap(schema: Json): Json {
  const { $defs, ...value } = isRecord(schema) ? schema : { const: schema };
  return {
    type: "object",
    properties: { value: moveRoot(value) },
    required: ["value"],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs: moveRoot($defs) }),
  };
}

/** A schema that means itself is now one level down. */
function moveRoot(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(moveRoot);
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === "$ref" && value === "#" ? [key, "#/properties/value"] : [key, moveRoot(value)],
    ),
  );
}

/** A zod schema, or JSON Schema as it stands. */
export type OutputSchema = z.ZodType | { readonly [key: string]: Json };

/** The type of the values of a schema; JSON Schema says nothing of types. */
export type OutputOf<Schema extends OutputSchema> = Schema extends z.ZodType ? z.output<Schema> : unknown;

/** A value as the schema read it, or why it does not fit. */
export type Fit = { kind: "fits"; value: unknown } | { kind: "misfit"; why: string };

/** The JSON Schema of what a model has to write; what JSON Schema cannot express is left to the check. */
export function toJsonSchema(schema: OutputSchema): Json {
  if (!isZod(schema)) return schema;
  // The schema's own method: zod's function would put every kind of schema into each run's bundle.
  const { $schema: _, ...rest } = schema.toJSONSchema({ io: "input", unrepresentable: "any" });
  return JSON.parse(JSON.stringify(rest)) as Json;
}

/** Checks a value against the schema; a misfit has a reason that a model can act on. */
export async function checkFit(schema: OutputSchema, value: unknown): Promise<Fit> {
  return isZod(schema) ? checkZod(schema, value) : checkJsonSchema(schema, value);
}

export const isZod = (schema: OutputSchema): schema is z.ZodType => "_zod" in schema;

async function checkZod(schema: z.ZodType, value: unknown): Promise<Fit> {
  const checked = await schema.safeParseAsync(value);
  if (checked.success) return { kind: "fits", value: checked.data };
  const lines = checked.error.issues.map(({ path, message }) => say(path, message));
  return { kind: "misfit", why: lines.join("\n") };
}

async function checkJsonSchema(schema: { readonly [key: string]: Json }, value: unknown): Promise<Fit> {
  const { Validator } = await import("@cfworker/json-schema");
  // A copy, because the validator writes its own keys into the schema.
  const copy = JSON.parse(JSON.stringify(schema)) as Schema;
  const { valid, errors } = new Validator(copy, draftOf(schema.$schema), false).validate(value);
  if (valid) return { kind: "fits", value };
  const places = errors.map(({ keywordLocation }) => keywordLocation);
  const lines = errors
    // A schema that fails because of one inside it says nothing of its own.
    .filter(({ keywordLocation: place }) => !places.some((other) => other.startsWith(`${place}/`)))
    .filter(({ keyword }) => keyword !== "false")
    .map(({ instanceLocation, error }) => say(keysOf(instanceLocation), error));
  return { kind: "misfit", why: lines.join("\n") };
}

function draftOf(dialect: Json | undefined): SchemaDraft {
  const drafts: readonly SchemaDraft[] = ["4", "7", "2019-09"];
  const said = typeof dialect === "string" ? dialect : "";
  return (
    drafts.find((draft) => said.includes(`draft/${draft}/`) || said.includes(`draft-0${draft}/`)) ?? "2020-12"
  );
}

const keysOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => decodeURI(key).replaceAll("~1", "/").replaceAll("~0", "~"));

const say = (path: readonly PropertyKey[], message: string): string =>
  path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;

/** The longest name of a tool that every provider takes. */
export const MAX_NAME_CHARACTERS = 64;

/** A name that every provider takes: letters, digits, _ and -, at most 64 of them. */
export const toToolName = (name: string): string =>
  name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, MAX_NAME_CHARACTERS);
