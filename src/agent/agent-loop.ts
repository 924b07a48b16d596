import type {
  ChatProvider,
  ChatReply,
  ChatRequest,
  Message,
  ToolCall,
  ToolSpec,
} from "../providers/provider.ts";
import { NoAnswerError, type RunContext, type Tool } from "./agent.ts";
import { Conversation } from "./conversation.ts";
import type { ToolInput } from "./tools.ts";

/** The tool that delivers the answer. */
export const FINISH = "finish";

interface LoopSpec {
  readonly name: string;
  readonly provider: ChatProvider;
  readonly tools: readonly Tool[];
  readonly finish: ToolInput;
  /** What is the same in every model call. */
  readonly call: Omit<ChatRequest, "messages" | "tools" | "toolChoice">;
  readonly opening: readonly Message[];
  readonly maxIterations: number;
  readonly maxToolCalls: number;
  readonly contextTokens: number | null;
  readonly context: RunContext;
}

/** One run of an agent: every limit is checked before anything is done, and no answer is ever made up. */
export class AgentLoop {
  readonly #spec: LoopSpec;
  readonly #conversation: Conversation;
  readonly #toolSpecs: readonly ToolSpec[];
  #toolCallsLeft: number;
  #hasRepaired = false;

  constructor(spec: LoopSpec) {
    this.#spec = spec;
    this.#conversation = new Conversation(spec.opening);
    this.#toolSpecs = [...spec.tools.map(toSpec), finishSpec(spec.finish)];
    this.#toolCallsLeft = spec.maxToolCalls;
  }

  async run(): Promise<unknown> {
    for (let callsLeft = this.#spec.maxIterations; callsLeft > 0; callsLeft--) {
      const limit = this.#reachedLimit(callsLeft);
      if (limit !== null) this.#note(`${limit}: the model has to finish now`);
      const reply = await this.#ask(limit === null ? "auto" : { name: FINISH });
      const finish = reply.toolCalls.find(({ name }) => name === FINISH);
      if (finish !== undefined) {
        const fit = await this.#spec.finish.read(finish.input);
        if (fit.kind === "fits") return fit.value;
        this.#repair(finish, reply.toolCalls, fit.why, callsLeft - 1);
      } else if (limit !== null) {
        throw this.#noAnswer(`${limit}, and the model did not finish when it had to`);
      } else await this.#goOn(reply);
    }
    throw this.#noAnswer(`maxIterations is ${this.#spec.maxIterations}`);
  }

  #reachedLimit(callsLeft: number): string | null {
    const { maxIterations, maxToolCalls } = this.#spec;
    if (callsLeft === 1) return `the limit of ${maxIterations} model calls (maxIterations) is reached`;
    if (this.#toolCallsLeft <= 0) return `the limit of ${maxToolCalls} tool calls (maxToolCalls) is reached`;
    return null;
  }

  async #ask(toolChoice: NonNullable<ChatRequest["toolChoice"]>): Promise<ChatReply> {
    const { provider, call, context, contextTokens } = this.#spec;
    const excess = this.#conversation.tokens - (contextTokens ?? Number.POSITIVE_INFINITY);
    if (excess > 0) this.#trim(excess, `it is over ${contextTokens} tokens (contextTokens)`);
    for (;;) {
      context.signal.throwIfAborted();
      const request = {
        ...call,
        messages: this.#conversation.messages(),
        tools: [...this.#toolSpecs],
        toolChoice,
      };
      try {
        const reply = await provider.generate(request, { signal: context.signal });
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

  async #callTools(calls: readonly ToolCall[]): Promise<void> {
    const allowed = calls.slice(0, this.#toolCallsLeft);
    this.#toolCallsLeft -= allowed.length;
    for (const { call, output, isError } of await runTools(allowed, this.#spec.tools, this.#spec.context))
      this.#conversation.answer(call, output, isError);
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
    this.#spec.context.emit({ kind: "note", text });
  }

  #noAnswer(why: string, cause?: unknown): NoAnswerError {
    return new NoAnswerError(
      `${this.#spec.name} gave no answer: ${why}`,
      cause === undefined ? {} : { cause },
    );
  }
}

const toSpec = ({ name, description, inputSchema }: Tool): ToolSpec => ({ name, description, inputSchema });

const finishSpec = ({ jsonSchema }: ToolInput): ToolSpec => ({
  name: FINISH,
  description: "Delivers the final answer and ends the task.",
  inputSchema: jsonSchema,
});

interface ToolAnswer {
  readonly call: ToolCall;
  readonly output: string;
  readonly isError: boolean;
}

/** Runs tool calls side by side; each is in the transcript, and the answers come in the order of the calls. */
const runTools = (
  calls: readonly ToolCall[],
  tools: readonly Tool[],
  context: RunContext,
): Promise<ToolAnswer[]> => Promise.all(calls.map((call) => runTool(call, tools, context)));

async function runTool(call: ToolCall, tools: readonly Tool[], context: RunContext): Promise<ToolAnswer> {
  context.emit({ kind: "tool_call", id: call.id, tool: call.name, input: call.input });
  const answer = await answerCall(call, tools, context);
  context.emit({ kind: "tool_result", id: call.id, tool: call.name, ...answer });
  return { call, ...answer };
}

/** A throwing or unknown tool answers the model with the error instead of ending the run. */
async function answerCall(
  call: ToolCall,
  tools: readonly Tool[],
  context: RunContext,
): Promise<Omit<ToolAnswer, "call">> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const known = tools.map(({ name }) => name).join(", ") || "none";
    return { output: `there is no tool "${call.name}"; there are: ${known}`, isError: true };
  }
  try {
    return { output: toText(await tool.run(call.input, context)), isError: false };
  } catch (error) {
    return { output: error instanceof Error ? error.message || error.name : String(error), isError: true };
  }
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "done";
  return JSON.stringify(value) ?? String(value);
}

/** How the providers and servers we know say that a conversation is too long for the model. */
const SAYINGS = [
  /context[_ ](?:length|window|size|limit)/i,
  /prompt is too long/i,
  /input is too long/i,
  /too many (?:input )?tokens/i,
  /input token count .*exceeds/i,
  /inputs`? (?:tokens \+|must have less than)/i,
  /exceeds? the (?:model'?s? )?max(?:imum)?(?: number of)? (?:input )?tokens/i,
];

/** Whether a model call failed because the conversation does not fit the model's context. */
export const saysContextOverflow = (error: unknown): error is Error =>
  error instanceof Error &&
  "code" in error &&
  error.code === "provider_error" &&
  SAYINGS.some((saying) => saying.test(error.message));
