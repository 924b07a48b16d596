import { EvaluatorError } from "../domain/errors.ts";
import { definedFields, type Json } from "../domain/json.ts";
import type { ChatProvider, ChatRequest, Message } from "../providers/provider.ts";
import type { RunContext, Tool, ToolSource } from "./agent.ts";
import { AgentLoop, FINISH } from "./agent-loop.ts";
import { rehearseWith } from "./rehearsals.ts";
import { type OutputSchema, openTools, toolInput } from "./tools.ts";

export interface SimpleAgentOptions extends Readonly<PassedOn> {
  readonly name: string;
  readonly objective: string;
  readonly provider: ChatProvider;
  readonly model: string;
  readonly tools?: readonly (Tool | ToolSource)[];
  readonly outputSchema: OutputSchema;
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
type PassedOn = Pick<ChatRequest, "maxTokens" | "temperature" | "reasoningEffort" | "stream">;

/** Model call, tools, results back, until the `finish` tool delivers a value that fits the output schema. */
export class SimpleAgent {
  readonly #options: SimpleAgentOptions;

  constructor(options: SimpleAgentOptions) {
    this.#options = options;
  }

  async run(context: RunContext): Promise<unknown> {
    const {
      name,
      provider,
      outputSchema,
      maxIterations = 20,
      maxToolCalls = 10,
      contextTokens,
    } = this.#options;
    const { tools, close } = await openTools(this.#options.tools ?? [], context.signal);
    try {
      refuseSameNames(name, tools);
      const loop = new AgentLoop({
        ...{ name, provider, maxIterations, maxToolCalls, tools },
        contextTokens: contextTokens ?? null,
        finish: toolInput(outputSchema),
        call: callOf(this.#options),
        opening: openingOf(this.#options),
        context,
      });
      return await loop.run();
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

const callOf = ({ model, maxTokens, temperature, reasoningEffort, stream }: SimpleAgentOptions) => ({
  model,
  ...definedFields({ maxTokens, temperature, reasoningEffort, stream }),
});

function openingOf({ name, objective, systemPrompt, inputs }: SimpleAgentOptions): readonly Message[] {
  const system =
    systemPrompt ?? `You are ${name}. Reach the objective, then call the ${FINISH} tool with the answer.`;
  const given = inputs === undefined ? "" : `\n\nInputs:\n${JSON.stringify(inputs, null, 2)}`;
  return [
    { role: "system", content: system },
    { role: "user", content: `${objective}${given}` },
  ];
}
