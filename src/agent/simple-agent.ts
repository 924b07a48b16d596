import type { Json } from "../domain/json.ts";
import type { ChatProvider, ChatRequest, Message, ToolCall, ToolSpec } from "../providers/contract.ts";
import type { RunContext, Tool } from "./contract.ts";
import { NoAnswerError } from "./no-answer-error.ts";
import { checkFit, type OutputSchema, toJsonSchema } from "./output-schema.ts";

const FINISH = "finish";

export interface SimpleAgentOptions {
  readonly name: string;
  readonly objective: string;
  readonly provider: ChatProvider;
  readonly model: string;
  readonly tools?: readonly Tool[];
  readonly outputSchema: OutputSchema;
  readonly inputs?: Json;
  readonly systemPrompt?: string;
  readonly maxIterations?: number;
  readonly maxToolCalls?: number;
  readonly maxTokens?: number;
}

type Reaction = { kind: "go on" } | { kind: "finished"; value: unknown };

/** Model call, tools, results back, until the `finish` tool delivers a value that fits the output schema. */
export class SimpleAgent {
  readonly #options: SimpleAgentOptions;
  readonly #messages: Message[];
  #toolCallsLeft: number;

  constructor(options: SimpleAgentOptions) {
    this.#options = options;
    this.#messages = openingOf(options);
    this.#toolCallsLeft = options.maxToolCalls ?? 10;
  }

  async run(context: RunContext): Promise<unknown> {
    const maxIterations = this.#options.maxIterations ?? 20;
    for (let iteration = 1; iteration < maxIterations && this.#toolCallsLeft > 0; iteration++) {
      const reaction = await this.#turn(context, "auto");
      if (reaction.kind === "finished") return reaction.value;
    }
    const last = await this.#turn(context, { name: FINISH });
    if (last.kind === "finished") return last.value;
    throw new NoAnswerError(
      `${this.#options.name} reached its limits without a value that fits its output schema`,
    );
  }

  async #turn(context: RunContext, toolChoice: NonNullable<ChatRequest["toolChoice"]>): Promise<Reaction> {
    const { provider, model, maxTokens } = this.#options;
    const reply = await provider.generate(
      {
        model,
        messages: [...this.#messages],
        tools: [...this.#toolSpecs()],
        toolChoice,
        ...(maxTokens === undefined ? {} : { maxTokens }),
      },
      { signal: context.signal },
    );
    this.#messages.push({ role: "assistant", content: reply.content, toolCalls: reply.toolCalls });
    if (reply.toolCalls.length === 0) return this.#ask(`Call the ${FINISH} tool with your answer.`);
    return this.#react(reply.toolCalls, context);
  }

  #ask(text: string): Reaction {
    this.#messages.push({ role: "user", content: text });
    return { kind: "go on" };
  }

  async #react(calls: readonly ToolCall[], context: RunContext): Promise<Reaction> {
    const finish = calls.find((call) => call.name === FINISH);
    if (finish !== undefined) return this.#finish(finish, calls);
    const allowed = calls.slice(0, this.#toolCallsLeft);
    this.#toolCallsLeft -= allowed.length;
    const answers = await Promise.all(allowed.map((call) => this.#callTool(call, context)));
    this.#messages.push(...answers, ...calls.slice(allowed.length).map(refuseCall));
    return { kind: "go on" };
  }

  async #finish(finish: ToolCall, calls: readonly ToolCall[]): Promise<Reaction> {
    const checked = await checkFit(this.#options.outputSchema, finish.input);
    if (checked.kind === "fits") return { kind: "finished", value: checked.value };
    const answers = calls.map((call) =>
      toolMessage(call, call === finish ? checked.why : "not run: finish was called", true),
    );
    this.#messages.push(...answers);
    return { kind: "go on" };
  }

  async #callTool(call: ToolCall, context: RunContext): Promise<Message> {
    context.emit({ kind: "tool_call", id: call.id, tool: call.name, input: call.input });
    const { output, isError } = await this.#runTool(call, context);
    context.emit({ kind: "tool_result", id: call.id, tool: call.name, output, isError });
    return toolMessage(call, output, isError);
  }

  /** A throwing or unknown tool answers the model with the error instead of ending the run. */
  async #runTool(call: ToolCall, context: RunContext): Promise<{ output: string; isError: boolean }> {
    const tool = this.#options.tools?.find(({ name }) => name === call.name);
    if (tool === undefined) return { output: `there is no tool "${call.name}"`, isError: true };
    try {
      return { output: toText(await tool.run(call.input, context)), isError: false };
    } catch (error) {
      return { output: error instanceof Error ? error.message : String(error), isError: true };
    }
  }

  #toolSpecs(): readonly ToolSpec[] {
    const own = (this.#options.tools ?? []).map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    const inputSchema = toJsonSchema(this.#options.outputSchema);
    return [
      ...own,
      { name: FINISH, description: "Delivers the final answer and ends the task.", inputSchema },
    ];
  }
}

function openingOf({ name, objective, systemPrompt, inputs }: SimpleAgentOptions): Message[] {
  const system =
    systemPrompt ?? `You are ${name}. Reach the objective, then call the ${FINISH} tool with the answer.`;
  const given = inputs === undefined ? "" : `\n\nInputs:\n${JSON.stringify(inputs, null, 2)}`;
  return [
    { role: "system", content: system },
    { role: "user", content: `${objective}${given}` },
  ];
}

const toolMessage = (call: ToolCall, content: string, isError: boolean): Message => ({
  role: "tool",
  toolCallId: call.id,
  content,
  isError,
});

const refuseCall = (call: ToolCall): Message =>
  toolMessage(call, "not run: the limit of tool calls is reached", true);

const toText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
