import * as z from "zod";
import type { GatewayAccess } from "../domain/gateway-access.ts";
import { Json, whyNoMetadata } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import { MAX_SCORE, toWhole, whyNoMetrics } from "../domain/run/amounts.ts";
import type { Failure, FailureCause } from "../domain/run/failure.ts";
import type { CapturedOutput, TranscriptStep } from "../domain/run/log-entry.ts";
import type { KeptVerdict } from "../domain/run/verdict.ts";

/** Reaches the evaluator from user code, in whichever process that runs. */
export interface CallLink {
  readonly signal: AbortSignal;
  readonly gateway: GatewayAccess | null;
  call(providerKey: string, request: Json, signal: AbortSignal): Promise<CallAnswer>;
  usage(usage: ReportedUsage, model?: CalledModel): void;
}

export interface RunLink extends CallLink {
  readonly tempFolder: string;
  step(step: ReportedStep): void;
}

export type RunResponse =
  /** The text is the very JSON that will be stored. */
  | { readonly kind: "answered"; readonly resultText: string }
  | {
      readonly kind: "failed";
      readonly cause: Extract<FromChild, { kind: "failed" }>["cause"] & FailureCause;
      readonly message: string;
      readonly stack: string;
    };

export type CheckResponse = Extract<FromChild, { kind: "verdict" | "check_failed" }>;

/** The user's code behind two calls that never reject: build and run the agent, and check a result. */
export interface TaskServer {
  run(task: RunTask, maxResultBytes: number, link: RunLink): Promise<RunResponse>;
  check(task: CheckTask, link: CallLink): Promise<CheckResponse>;
  /** Goes once through our own part of a run, with none of the user's code, so that it is compiled. */
  rehearse(): Promise<void>;
}

const CallId = z.int().nonnegative();
const Score = z.number().min(-MAX_SCORE).max(MAX_SCORE);
/** A whole number, however large; limits are checked elsewhere. */
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

/** The model whose price applies; by default the run's own. */
const CalledModel = z.object({ providerKey: z.string(), model: z.string() });
type CalledModel = z.infer<typeof CalledModel>;

const Path = z.array(z.union([z.string(), z.int()]));
/** A problem as the definition gives it, taken apart. */
const SentItem = z.discriminatedUnion("kind", [
  z.object({
    ...{ kind: z.literal("parts"), problem: Json, expected: Json },
    ...{ id: z.string().optional(), tags: z.array(z.string()), metadata: Json.optional() },
  }),
  z.object({ kind: z.literal("refused"), path: z.string(), why: z.string() }),
]);

/** The plain data of a definition, whose functions stay where it was read. */
export const SentDefinition = z.object({
  kind: z.literal("definition"),
  options: Json,
  functions: z.array(Path),
  others: z.array(z.object({ path: Path, text: z.string() })),
  /** Keys of the providers that its checker says it asks. */
  asks: z.array(z.string()).nullable(),
  hasProblems: z.boolean(),
  problemCount: z.int().nullable(),
  /** All of them where they are few; else they are asked for. */
  problems: z.array(SentItem).nullable(),
});
export type SentDefinition = z.infer<typeof SentDefinition>;

/** A message of a child; everything in it is checked, because agent code can write to the same pipe. */
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
    score: Score.nullable(),
    reason: z.string().nullable(),
    metrics: z
      .record(z.string(), Score)
      .refine((metrics) => whyNoMetrics(metrics) === null)
      .optional(),
    metadata: Json.refine((metadata) => whyNoMetadata(metadata) === null).optional(),
  }),
  z.object({ kind: z.literal("check_failed"), message: z.string(), stack: z.string() }),
  z.object({ kind: z.literal("compiled"), code: z.string() }),
  /** The file evaluates by itself. */
  z.object({ kind: z.literal("evaluates") }),
  SentDefinition,
  z.object({
    kind: z.literal("problems"),
    items: z.array(SentItem),
    isLast: z.boolean(),
    threw: z.object({ name: z.string(), code: z.string().nullable(), message: z.string() }).nullable(),
  }),
]);
export type FromChild = z.infer<typeof FromChild>;

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
  | { readonly kind: "check"; readonly task: CheckTask; readonly gateway: GatewayAccess | null }
  | { readonly kind: "compile" }
  /** The next problems of a definition, at most so many. */
  | { readonly kind: "more_problems"; readonly most: number }
  | { readonly kind: "stop" }
  | { readonly kind: "answer"; readonly id: number; readonly answer: CallAnswer };

/** A run as the agent's process sees it; the expected value is not part of it. */
export interface RunTask {
  readonly runId: string;
  readonly providerKey: string;
  readonly model: string;
  readonly variant?: string;
  readonly problemId: string;
  readonly problem: Json;
  readonly trial: number;
}

export interface CheckTask extends RunTask {
  readonly result: Json;
  readonly expected: Json | null;
  readonly tags: readonly string[];
  readonly transcript: readonly TranscriptStep[];
}

/** Serves the calls of one run or check and hears what it reports. */
export interface TaskHost {
  /** Aborted with a `Failure` as its reason when the run has to end. */
  readonly signal: AbortSignal;
  call(providerKey: string, request: Json, signal: AbortSignal): Promise<CallAnswer>;
  /** Calls that come in over HTTP with this token are made on the run's account from now on. */
  serveToken(token: string): void;
  /** Resolves when no such call is under way any more. */
  releaseToken(token: string): Promise<void>;
  step(step: ReportedStep): void;
  usage(usage: ReportedUsage, model?: CalledModel): void;
  /** True while the run waits for a rate limit, which stops its clock. */
  onWaiting(listener: (isWaiting: boolean) => void): void;
}

export interface RunReport {
  readonly outcome: { kind: "answered"; result: Json } | { kind: "failed"; failure: Failure };
  /** The process died by a signal that was not ours: the only end that earns another attempt. */
  readonly isForeignDeath: boolean;
  readonly runtimeMs: number;
  readonly startupMs: number;
  readonly waitMs: number;
  readonly pid: number | null;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
}

export type CheckReport = ({ readonly kind: "verdict" } & KeptVerdict) | { kind: "failed"; message: string };

/** Executes runs and checks their results somewhere; neither call rejects for what user code does. */
export interface Isolation {
  run(task: RunTask, limits: Limits, host: TaskHost): Promise<RunReport>;
  check(task: CheckTask, limits: Limits, host: TaskHost): Promise<CheckReport>;
  /** Says how many runs are still to come, so that no process is booted in vain. */
  expect(runs: number): void;
  /** Ends everything that was started. */
  close(): Promise<void>;
}
