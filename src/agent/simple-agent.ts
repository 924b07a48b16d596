import { EvaluatorError } from "../domain/errors.ts";
import { definedFields, type Json } from "../domain/json.ts";
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
import { AnswerForm, type AnswerWay, FINISH } from "./answer.ts";
import { Conversation, saysContextOverflow } from "./conversation.ts";
import { type OutputOf, type OutputSchema, openTools, runTools } from "./tools.ts";

export interface SimpleAgentOptions<Schema extends OutputSchema = OutputSchema>
  extends Readonly<CallSettings> {
  readonly name: string;
  /** A text, or texts and images. */
  readonly objective: string | readonly Part[];
  readonly provider: ChatProvider;
  readonly model: string;
  readonly tools?: readonly (Tool | ToolSource)[];
  readonly outputSchema: Schema;
  /** Whether the answer is a call of the tool `finish` (the default), or text that the provider holds to the schema. */
  readonly answer?: AnswerWay;
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
  readonly #answer: AnswerForm;
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
    this.#answer = new AnswerForm(options.outputSchema, options.answer);
    this.#toolSpecs = tools.map(toSpec);
    this.#conversation = new Conversation(openingOf(options, this.#answer.instruction));
    this.#maxIterations = options.maxIterations ?? 20;
    this.#maxToolCalls = options.maxToolCalls ?? 10;
    this.#toolCallsLeft = this.#maxToolCalls;
  }

  async run(): Promise<unknown> {
    for (let callsLeft = this.#maxIterations; callsLeft > 0; callsLeft--) {
      const limit = this.#reachedLimit(callsLeft);
      if (limit !== null) this.#note(`${limit}: the model has to finish now`);
      const reply = await this.#ask(limit !== null);
      const found = await this.#answer.findIn(reply);
      if (found?.kind === "fits") {
        if (found.call === null && this.#options.answer !== "text")
          this.#note(`the model answered in text instead of calling ${FINISH}; the text fits`);
        return found.value;
      }
      if (found !== null) {
        this.#repair(found.call, reply.toolCalls, found.why, callsLeft - 1);
        continue;
      }
      if (limit !== null) {
        throw this.#noAnswer(`${limit}, and the model returned no final answer`);
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

  async #ask(isAtLimit: boolean): Promise<ChatReply> {
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
        ...this.#answer.requestFor(this.#toolSpecs, isAtLimit),
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
    this.#conversation.ask(`${cut}${this.#answer.instruction}`);
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
  #repair(finish: ToolCall | null, calls: readonly ToolCall[], why: string, callsLeft: number): void {
    this.#note(`the answer does not fit the output schema: ${why}`);
    if (this.#hasRepaired || callsLeft === 0)
      throw this.#noAnswer(`its answer does not fit the output schema: ${why}`);
    this.#hasRepaired = true;
    if (finish === null)
      this.#conversation.ask(`The answer does not fit: ${why}\n${this.#answer.instruction}`);
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

const toSpec = ({ name, description, inputSchema }: Tool): ToolSpec => ({ name, description, inputSchema });

function openingOf(
  { name, objective, systemPrompt, inputs, answer }: SimpleAgentOptions,
  instruction: string,
): readonly Message[] {
  const how = answer === "text" ? `. ${instruction}` : `, then call the ${FINISH} tool with the answer.`;
  const system = systemPrompt ?? `You are ${name}. Reach the objective${how}`;
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
