import type * as z from "zod";
import type { RunContext, Tool } from "./contract.ts";
import { toolInput } from "./tool-input.ts";

export interface ToolDefinition<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  run(input: z.output<Input>, context: RunContext): unknown;
}

/** A tool whose input is checked before it runs; what does not fit is told to the model. */
export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const { jsonSchema, read } = toolInput(definition.input);
  return {
    name: definition.name,
    description: definition.description,
    inputSchema: jsonSchema,
    async run(input, context) {
      const fit = await read(input);
      if (fit.kind === "misfit") throw new TypeError(`the input does not fit: ${fit.why}`);
      return definition.run(fit.value as z.output<Input>, context);
    },
  };
}
