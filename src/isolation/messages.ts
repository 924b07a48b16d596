import * as z from "zod";
import type { GatewayAccess } from "../domain/gateway-access.ts";
import { Json, MAX_TEXT_LEVELS } from "../domain/json.ts";
import { levelsOf } from "../domain/json-levels.ts";
import { parseJson } from "../domain/parse-json.ts";
import { MAX_SCORE } from "../domain/score.ts";
import { toWhole } from "../domain/whole.ts";
import type { CheckTask, RunTask } from "./contract.ts";
import type { Violation } from "./frames.ts";

const CallId = z.int().nonnegative();
/** A whole number, however large: how many a run may use is not for the pipe to say. */
const Tokens = z.number().nonnegative().refine(Number.isInteger).overwrite(toWhole);

/** The steps that an agent adds to its transcript by itself. */
export const ReportedStep = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("tool_call"), id: z.string(), tool: z.string(), input: Json }),
  z.object({
    kind: z.literal("tool_result"),
    id: z.string(),
    tool: z.string(),
    output: Json,
    isError: z.boolean(),
  }),
  z.object({ kind: z.literal("note"), text: z.string(), data: Json.optional() }),
]);
export type ReportedStep = z.infer<typeof ReportedStep>;

export const ReportedUsage = z.object({
  inputTokens: Tokens.optional(),
  outputTokens: Tokens.optional(),
  cachedInputTokens: Tokens.optional(),
  reasoningTokens: Tokens.optional(),
  cacheWriteTokens: Tokens.optional(),
  cacheWriteHourTokens: Tokens.optional(),
});
export type ReportedUsage = z.infer<typeof ReportedUsage>;

/** Whose price applies; the run's own model where nothing is said. */
export const CalledModel = z.object({ providerKey: z.string(), model: z.string() });
export type CalledModel = z.infer<typeof CalledModel>;

/** What a child may say; everything is checked, because agent code shares the pipe with us. */
export const FromChild = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("unready"), message: z.string(), stack: z.string() }),
  z.object({ kind: z.literal("call"), id: CallId, providerKey: z.string(), request: Json }),
  z.object({ kind: z.literal("drop_call"), id: CallId }),
  z.object({ kind: z.literal("step"), step: ReportedStep }),
  z.object({ kind: z.literal("usage"), usage: ReportedUsage, model: CalledModel.optional() }),
  z.object({ kind: z.literal("answered"), result: Json }),
  z.object({
    kind: z.literal("failed"),
    cause: z.enum(["no_answer", "agent_error", "limit", "provider_error", "rate_limited"]),
    message: z.string(),
    stack: z.string(),
  }),
  z.object({
    kind: z.literal("verdict"),
    correct: z.boolean().nullable(),
    score: z.number().min(-MAX_SCORE).max(MAX_SCORE).nullable(),
    reason: z.string().nullable(),
  }),
  z.object({ kind: z.literal("check_failed"), message: z.string(), stack: z.string() }),
  z.object({ kind: z.literal("compiled"), code: z.string() }),
]);
export type FromChild = z.infer<typeof FromChild>;

/** A message as a child wrote it, or what is wrong with it. */
export function readMessage(
  json: Buffer,
):
  | { readonly kind: "message"; readonly message: FromChild }
  | { readonly kind: "violation"; readonly violation: Violation } {
  if (levelsOf(json) > MAX_TEXT_LEVELS)
    return violation("limit", `sent a message that is nested deeper than ${MAX_TEXT_LEVELS} levels`);
  const message = FromChild.safeParse(parseJson(json.toString())).data;
  return message === undefined
    ? violation("agent_error", "wrote something that is not a message")
    : { kind: "message", message };
}

const violation = (cause: Violation["cause"], why: string) =>
  ({ kind: "violation", violation: { cause, why } }) as const;

export type CallAnswer =
  | { readonly kind: "reply"; readonly reply: Json }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

export type ToChild =
  | {
      readonly kind: "run";
      readonly task: RunTask;
      readonly maxResultBytes: number;
      readonly gateway: GatewayAccess | null;
    }
  | { readonly kind: "check"; readonly task: CheckTask }
  | { readonly kind: "compile" }
  | { readonly kind: "stop" }
  | { readonly kind: "answer"; readonly id: number; readonly answer: CallAnswer };
