import type * as z from "zod";
import type { RunContext, Tool } from "./contract.ts";
import { toJsonSchema } from "./output-schema.ts";

export interface ToolDefinition<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  run(input: z.output<Input>, context: RunContext): unknown;
}

/** A tool whose input is checked before it runs; what does not fit is told to the model. */
export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  return {
    name: definition.name,
    description: definition.description,
    inputSchema: toJsonSchema(definition.input),
    run: (input, context) => definition.run(definition.input.parse(input), context),
  };
}
