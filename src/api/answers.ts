import type * as z from "zod";
import type { Answer } from "./route.ts";

export const jsonAnswer = (description: string, schema: z.ZodType): Answer => ({
  description,
  content: { "application/json": schema },
});
