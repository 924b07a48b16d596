import { levelsOf, MAX_LEVELS, parseJson } from "../domain/json.ts";
import type { ChatReply, ChatRequest, ToolCall, ToolSpec } from "../providers/provider.ts";
import { checkFit, type Fit, type OutputSchema, type ToolInput, toolInput } from "./tools.ts";

/** Name of the tool that delivers an answer. */
export const FINISH = "finish";

/** Ways to deliver an answer: by a call of the tool `finish`, or as text that is held to the schema. */
export type AnswerWay = "tool" | "text";

/** An answer that a reply gives, or why it does not fit; `call` is the call that gave it. */
type FoundAnswer = Fit & { readonly call: ToolCall | null };

/** Form of an agent's answer: how a model is asked for it, and how it is found in a reply. */
export class AnswerForm {
  readonly #schema: OutputSchema;
  readonly #input: ToolInput;
  readonly #way: AnswerWay;

  constructor(schema: OutputSchema, way: AnswerWay = "tool") {
    this.#schema = schema;
    this.#input = toolInput(schema);
    this.#way = way;
  }

  /** What the model is told to do in the end. */
  get instruction(): string {
    return this.#way === "text"
      ? "Answer with JSON that fits the schema, and with nothing else."
      : `Call the ${FINISH} tool with your answer.`;
  }

  /** The parts of a request that are about the answer; a model at its limits has to give it. */
  requestFor(tools: readonly ToolSpec[], isAtLimit: boolean) {
    const { jsonSchema } = this.#input;
    if (this.#way === "text")
      return {
        ...{ tools: [...tools], toolChoice: isAtLimit ? "none" : "auto", outputSchema: jsonSchema },
      } satisfies Partial<ChatRequest>;
    const description = "Delivers the final answer and ends the task.";
    return {
      tools: [...tools, { name: FINISH, description, inputSchema: jsonSchema }],
      toolChoice: isAtLimit ? { name: FINISH } : "auto",
    } satisfies Partial<ChatRequest>;
  }

  /** Finds the answer; null where the model goes on working, or has said something else. */
  async findIn({ content, toolCalls, finishReason }: ChatReply): Promise<FoundAnswer | null> {
    const call = toolCalls.find(({ name }) => name === FINISH);
    if (call !== undefined) return { ...(await this.#input.read(call.input)), call };
    const text = content.trim();
    if (toolCalls.length > 0 || finishReason === "length" || finishReason === "refusal" || text === "")
      return null;
    const fits = await this.#readings(text);
    const fit = fits.find(({ kind }) => kind === "fits");
    if (fit !== undefined) return { ...fit, call: null };
    const [misfit] = fits;
    return this.#way === "text" && misfit !== undefined ? { ...misfit, call: null } : null;
  }

  async #readings(text: string): Promise<Fit[]> {
    const json = jsonIn(text);
    const asText = await checkFit(this.#schema, text);
    if (json === undefined) return [asText];
    return [await this.#input.read(json), await checkFit(this.#schema, json), asText];
  }
}

/** The value of a text that is JSON, or has it in a fence; undefined for any other, and for one too deep to check. */
function jsonIn(text: string): unknown {
  const json = /```(?:json)?\n([\s\S]*?)```/.exec(text)?.[1] ?? text;
  return levelsOf(json) > MAX_LEVELS ? undefined : parseJson(json);
}
