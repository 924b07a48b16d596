import * as z from "zod";
import { Json } from "./json.ts";
import { CallUsage } from "./usage.ts";

const at = { atMs: z.number().nonnegative() };

/** One thing that happened in a run, in order; `atMs` counts from the start of the attempt. */
export const TranscriptStep = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("model_call"),
    ...at,
    providerKey: z.string(),
    model: z.string(),
    request: Json,
    reply: Json.nullable(),
    error: z.string().nullable(),
    usage: CallUsage.nullable(),
    latencyMs: z.number().nonnegative(),
    /** Until the first piece of text, where the reply came as a stream. */
    firstTokenMs: z.number().nonnegative().optional(),
    retries: z.int().nonnegative(),
  }),
  z.object({ kind: z.literal("tool_call"), ...at, id: z.string(), tool: z.string(), input: Json }),
  z.object({
    kind: z.literal("tool_result"),
    ...at,
    id: z.string(),
    tool: z.string(),
    output: Json,
    isError: z.boolean(),
  }),
  z.object({ kind: z.literal("note"), ...at, text: z.string(), data: Json.optional() }),
]);
export type TranscriptStep = z.infer<typeof TranscriptStep>;
