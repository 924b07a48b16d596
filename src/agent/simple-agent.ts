import { EvaluatorError } from "../domain/errors.ts";
import { definedFields, type Json, levelsOf, MAX_LEVELS, parseJson } from "../domain/json.ts";
import type {
  ChatProvider,
  ChatReply,
  ChatRequest,
  Message,
  Part,
  ToolCall,
  ToolSpec,
} from "../providers/provider.ts";
import { NoAnswerError, type RunContext, rehearseWith, type Tool, type ToolSource } from "./agent.ts";
import { Conversation, saysContextOverflow } from "./conversation.ts";
import {
  checkFit,
  type OutputOf,
  type OutputSchema,
  openTools,
  runTools,
  type ToolInput,
  toolInput,
} from "./tools.ts";

export interface SimpleAgentOptions<Schema extends OutputSchema = OutputSchema>
  extends Readonly<CallSettings> {
  readonly name: string;
  /** A text, or texts and images. */
  readonly objective: string | readonly Part[];
  readonly provider: ChatProvider;
  readonly model: string;
  readonly tools?: readonly (Tool | ToolSource)[];
  readonly outputSchema: Schema;
  readonly inputs?: Json;
  readonly systemPrompt?: string;
  /** Model calls, including the forced finish; 20 by default. */
  readonly maxIterations?: number;
  /** Tool calls that are run; 10 by default. */
  readonly maxToolCalls?: number;
  /** Tokens that the conversation may have; above, the oldest tool outputs are trimmed before it is sent. */
  readonly contextTokens?: number;
}

/** Options that are sent with every model call; `maxTokens` is for one reply. */
type CallSettings = Omit<ChatRequest, "model" | "messages" | "tools" | "toolChoice" | "outputSchema">;

/** Model call, tools, results back, until the `finish` tool delivers a value that fits the output schema. */
export class SimpleAgent<Schema extends OutputSchema = OutputSchema> {
  readonly #options: SimpleAgentOptions<Schema>;

  constructor(options: SimpleAgentOptions<Schema>) {
    this.#options = options;
  }

  async run(context: RunContext): Promise<OutputOf<Schema>> {
    const { tools, close } = await openTools(this.#options.tools ?? [], context.signal);
    try {
      refuseSameNames(this.#options.name, tools);
      // Every value that the loop gives back was read by the schema.
      return (await new AgentLoop(this.#options, tools, context).run()) as OutputOf<Schema>;
    } finally {
      await close();
    }
  }
}

/** The tool that delivers the answer. */
const FINISH = "finish";

// Not of zod, which is only in a bundle if the user put it there.
const REHEARSED = { type: "object", properties: { value: { type: "string" } } };

rehearseWith({
  buildAgent: (provider, model) =>
    new SimpleAgent({ name: "Rehearsal", objective: "none", provider, model, outputSchema: REHEARSED }),
  reply: {
    id: "rehearsal",
    content: "",
    toolCalls: [{ id: "1", name: FINISH, input: { value: "done" } }],
    finishReason: "tool_calls",
    usage: null,
  },
});

/** A model tells tools apart only by their names. */
function refuseSameNames(agent: string, tools: readonly Tool[]): void {
  const names = [FINISH, ...tools.map(({ name }) => name)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  const why = twice === FINISH ? "it is the tool that delivers the answer" : "two of its tools have it";
  throw new EvaluatorError(
    "agent.tool_name",
    `${agent} cannot use the name "${twice}" for a tool: ${why}; rename the tool`,
  );
}

/** One run of an agent: every limit is checked before anything is done, and no answer is ever made up. */
class AgentLoop {
  readonly #options: SimpleAgentOptions;
  readonly #tools: readonly Tool[];
  readonly #context: RunContext;
  readonly #finish: ToolInput;
  readonly #toolSpecs: readonly ToolSpec[];
  readonly #conversation: Conversation;
  readonly #maxIterations: number;
  readonly #maxToolCalls: number;
  #toolCallsLeft: number;
  #hasRepaired = false;

  constructor(options: SimpleAgentOptions, tools: readonly Tool[], context: RunContext) {
    this.#options = options;
    this.#tools = tools;
    this.#context = context;
    this.#finish = toolInput(options.outputSchema);
    this.#toolSpecs = [...tools.map(toSpec), finishSpec(this.#finish)];
    this.#conversation = new Conversation(openingOf(options));
    this.#maxIterations = options.maxIterations ?? 20;
    this.#maxToolCalls = options.maxToolCalls ?? 10;
    this.#toolCallsLeft = this.#maxToolCalls;
  }

  async run(): Promise<unknown> {
    for (let callsLeft = this.#maxIterations; callsLeft > 0; callsLeft--) {
      const limit = this.#reachedLimit(callsLeft);
      if (limit !== null) this.#note(`${limit}: the model has to finish now`);
      const reply = await this.#ask(limit === null ? "auto" : { name: FINISH });
      const finish = reply.toolCalls.find(({ name }) => name === FINISH);
      if (finish !== undefined) {
        const fit = await this.#finish.read(finish.input);
        if (fit.kind === "fits") return fit.value;
        this.#repair(finish, reply.toolCalls, fit.why, callsLeft - 1);
        continue;
      }
      const said = await this.#readText(reply);
      if (said !== null) return said.value;
      if (limit !== null) {
        throw this.#noAnswer(`${limit}, and the model did not finish when it had to`);
      }
      await this.#goOn(reply);
    }
    throw this.#noAnswer(`maxIterations is ${this.#maxIterations}`);
  }

  #reachedLimit(callsLeft: number): string | null {
    if (callsLeft === 1) return `the limit of ${this.#maxIterations} model calls (maxIterations) is reached`;
    if (this.#toolCallsLeft <= 0)
      return `the limit of ${this.#maxToolCalls} tool calls (maxToolCalls) is reached`;
    return null;
  }

  async #ask(toolChoice: NonNullable<ChatRequest["toolChoice"]>): Promise<ChatReply> {
    const { provider, model, contextTokens = Number.POSITIVE_INFINITY } = this.#options;
    const { maxTokens, temperature, topP, seed, stop, reasoningEffort, serviceTier } = this.#options;
    const { stream, cache = true } = this.#options;
    const settings = {
      maxTokens,
      temperature,
      topP,
      seed,
      stop,
      reasoningEffort,
      serviceTier,
      stream,
      cache,
    };
    const { signal } = this.#context;
    const excess = this.#conversation.tokens - contextTokens;
    if (excess > 0) this.#trim(excess, `it is over ${contextTokens} tokens (contextTokens)`);
    for (;;) {
      signal.throwIfAborted();
      const request = {
        model,
        ...definedFields(settings),
        messages: this.#conversation.messages(),
        tools: [...this.#toolSpecs],
        toolChoice,
      };
      try {
        const reply = await provider.generate(request, { signal });
        this.#conversation.hear(reply);
        return reply;
      } catch (error) {
        if (!saysContextOverflow(error)) throw error;
        // Nobody says how much is too much: half of it goes, and half of the rest if need be.
        const isShorter = this.#trim(this.#conversation.tokens / 2, `the model said: ${error.message}`);
        if (!isShorter)
          throw this.#noAnswer(`the conversation does not fit the model's context: ${error.message}`, error);
      }
    }
  }

  #trim(tokens: number, why: string): boolean {
    const trimmed = this.#conversation.trim(tokens);
    if (trimmed === null) return false;
    const { outputs, characters } = trimmed;
    const what = outputs === 1 ? "the oldest tool output" : `the ${outputs} oldest tool outputs`;
    this.#note(`the conversation is too long, so ${what} lost ${characters} characters; ${why}`);
    return true;
  }

  async #goOn(reply: ChatReply): Promise<void> {
    if (reply.toolCalls.length > 0) return this.#callTools(reply.toolCalls);
    if (reply.finishReason === "refusal") throw this.#noAnswer(`the model refused: ${reply.content}`);
    const cut = reply.finishReason === "length" ? "Your reply was cut off because it is too long. " : "";
    this.#conversation.ask(`${cut}Call the ${FINISH} tool with your answer.`);
  }

  /** Reads a text that ends the model's turn as the answer; null if it does not fit. */
  async #readText({
    content,
    toolCalls,
    finishReason,
  }: ChatReply): Promise<{ readonly value: unknown } | null> {
    const text = content.trim();
    if (toolCalls.length > 0 || finishReason === "length" || finishReason === "refusal" || text === "")
      return null;
    const json = jsonIn(text);
    const { outputSchema } = this.#options;
    const fits = [
      ...(json === undefined ? [] : [await this.#finish.read(json), await checkFit(outputSchema, json)]),
      await checkFit(outputSchema, text),
    ];
    const fit = fits.find(({ kind }) => kind === "fits");
    if (fit?.kind !== "fits") return null;
    this.#note(`the model answered in text instead of calling ${FINISH}; the text fits`);
    return fit;
  }

  async #callTools(calls: readonly ToolCall[]): Promise<void> {
    const allowed = calls.slice(0, this.#toolCallsLeft);
    this.#toolCallsLeft -= allowed.length;
    for (const { call, content, isError } of await runTools(allowed, this.#tools, this.#context))
      this.#conversation.answer(call, content, isError);
    for (const call of calls.slice(allowed.length))
      this.#conversation.answer(call, "not run: the limit of tool calls is reached", true);
  }

  /** A value that does not fit is shown to the model once. */
  #repair(finish: ToolCall, calls: readonly ToolCall[], why: string, callsLeft: number): void {
    this.#note(`the answer does not fit the output schema: ${why}`);
    if (this.#hasRepaired || callsLeft === 0)
      throw this.#noAnswer(`its answer does not fit the output schema: ${why}`);
    this.#hasRepaired = true;
    for (const call of calls) {
      const text = call === finish ? `The answer does not fit: ${why}` : `not run: ${FINISH} was called`;
      this.#conversation.answer(call, text, true);
    }
  }

  #note(text: string): void {
    this.#context.emit({ kind: "note", text });
  }

  #noAnswer(why: string, cause?: unknown): NoAnswerError {
    const options = cause === undefined ? {} : { cause };
    return new NoAnswerError(`${this.#options.name} gave no answer: ${why}`, options);
  }
}

/** The value of a text that is JSON, or has it in a fence; undefined for any other, and for one too deep to check. */
function jsonIn(text: string): unknown {
  const json = /```(?:json)?\n([\s\S]*?)```/.exec(text)?.[1] ?? text;
  return levelsOf(json) > MAX_LEVELS ? undefined : parseJson(json);
}

const toSpec = ({ name, description, inputSchema }: Tool): ToolSpec => ({ name, description, inputSchema });

const finishSpec = ({ jsonSchema }: ToolInput): ToolSpec => ({
  name: FINISH,
  description: "Delivers the final answer and ends the task.",
  inputSchema: jsonSchema,
});

function openingOf({ name, objective, systemPrompt, inputs }: SimpleAgentOptions): readonly Message[] {
  const system =
    systemPrompt ?? `You are ${name}. Reach the objective, then call the ${FINISH} tool with the answer.`;
  const given = inputs === undefined ? "" : `\n\nInputs:\n${JSON.stringify(inputs, null, 2)}`;
  const content =
    typeof objective === "string"
      ? `${objective}${given}`
      : [...objective, ...(given === "" ? [] : [{ kind: "text" as const, text: given.trimStart() }])];
  return [
    { role: "system", content: system },
    { role: "user", content },
  ];
}
