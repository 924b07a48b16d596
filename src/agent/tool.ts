import * as z from "zod";
import type { Json } from "../domain/json.ts";
import type { RunContext, Tool } from "./contract.ts";

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
    inputSchema: z.toJSONSchema(definition.input, { io: "input" }) as Json,
    run: (input, context) => definition.run(definition.input.parse(input), context),
  };
}
