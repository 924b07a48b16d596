import * as z from "zod";
import { EvaluationId, ProblemId, RunId } from "../ids.ts";
import { Json } from "../json.ts";
import { type ModelKey, modelKey } from "../model.ts";
import { MAX_SCORE } from "./amounts.ts";
import { Failure, FailureCause } from "./failure.ts";
import { CallUsage, Usage } from "./usage.ts";

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

/** The first and last part of what a run printed, and how much between them was dropped. */
export const CapturedOutput = z.object({
  head: z.string(),
  tail: z.string(),
  bytes: z.int().nonnegative(),
  droppedBytes: z.int().nonnegative(),
});
export type CapturedOutput = z.infer<typeof CapturedOutput>;

export const NO_OUTPUT: CapturedOutput = { head: "", tail: "", bytes: 0, droppedBytes: 0 };

/** Parts of a log entry that are too large for it and load on demand. */
export const RunBody = z.object({
  v: z.literal(1),
  result: Json.nullable(),
  transcript: z.array(TranscriptStep),
  stdout: CapturedOutput,
  stderr: CapturedOutput,
});
export type RunBody = z.infer<typeof RunBody>;

export const NO_BODY: RunBody = {
  v: 1,
  result: null,
  transcript: [],
  stdout: NO_OUTPUT,
  stderr: NO_OUTPUT,
};

/** One try of a run; only a process that died by a foreign signal gets another. */
export const Attempt = z.object({
  number: z.int().positive(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  cause: FailureCause.nullable(),
  message: z.string().nullable(),
});
export type Attempt = z.infer<typeof Attempt>;

/** The beginning of what a run printed; the whole is in its body. */
const OutputHead = z.object({ head: z.string(), bytes: z.int().nonnegative() });

/** Record of one run, whatever happened to it. */
export const LogEntry = z.object({
  v: z.literal(1),
  evaluationId: EvaluationId,
  runId: RunId,
  round: z.int().positive(),
  index: z.int().nonnegative(),
  providerKey: z.string(),
  model: z.string(),
  /** The variant of the agent that ran, where the evaluation has some. */
  variant: z.string().optional(),
  problemId: ProblemId,
  problem: Json,
  expected: Json.nullable(),
  tags: z.array(z.string()),
  /** What the evaluation wants kept with the problem. */
  problemMetadata: Json.optional(),
  trial: z.int().positive(),
  result: Json.nullable(),
  correct: z.boolean().nullable(),
  score: z.number().nullable(),
  /** Numbers that the checker gave beside its verdict, by name. */
  metrics: z.record(z.string(), z.number().min(-MAX_SCORE).max(MAX_SCORE)).optional(),
  /** What the checker wants kept with its verdict. */
  metadata: Json.optional(),
  reason: z.string().nullable(),
  failure: Failure.nullable(),
  attempts: z.array(Attempt),
  usage: Usage.nullable(),
  costUsd: z.number().nullable(),
  /** What a checker that asks a model used for this run's verdict; not part of `usage` and `costUsd`. */
  judgeUsage: Usage.nullable().default(null),
  judgeCostUsd: z.number().nullable().default(null),
  turns: z.int().nonnegative(),
  /** Building and running the agent, in whole milliseconds. */
  runtimeSeconds: z.number().nonnegative(),
  /** Starting the process; not part of the runtime. */
  startupSeconds: z.number().nonnegative(),
  /** Waiting for rate limits and between the tries of a call; not part of the runtime. */
  waitSeconds: z.number().nonnegative(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  pid: z.int().nullable(),
  stdout: OutputHead,
  stderr: OutputHead,
  /** Bytes of the whole result as stored; a result too large for the entry itself is in the body. */
  resultBytes: z.int().nonnegative(),
  transcriptSteps: z.int().nonnegative(),
  /** The round in which the agent ran, where this entry only checks its result again. */
  recheckOf: z.int().positive().nullable().default(null),
  /** Somebody else had put an entry in this one's place; that did not count, and this one took its place back. */
  wasForged: z.literal(true).optional(),
});
export type LogEntry = z.infer<typeof LogEntry>;

export const entryModelKey = (entry: Pick<LogEntry, "providerKey" | "model" | "variant">): ModelKey =>
  modelKey(entry);

/** A run that the budget or a cancel kept from starting: nothing was bought, so its cost is neither known nor unknown. */
export const isStoppedBeforeStart = ({
  failure,
  attempts,
}: Pick<LogEntry, "failure" | "attempts">): boolean => failure?.fault === "stopped" && attempts.length === 0;
