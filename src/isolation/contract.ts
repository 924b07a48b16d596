import type { Failure } from "../domain/failure.ts";
import type { Json } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import type { CapturedOutput } from "../domain/run-body.ts";
import type { TranscriptStep } from "../domain/transcript.ts";
import type { CallAnswer, CalledModel, ReportedStep, ReportedUsage } from "./messages.ts";

/** What the agent's side learns of a run; the expected value is not part of it. */
export interface RunTask {
  readonly runId: string;
  readonly providerKey: string;
  readonly model: string;
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
export interface Host {
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

export type CheckReport =
  | { kind: "verdict"; correct: boolean | null; score: number | null; reason: string | null }
  | { kind: "failed"; message: string };

/** Where one run executes, and where its result is checked. Neither call rejects for what user code does. */
export interface Isolation {
  run(task: RunTask, limits: Limits, host: Host): Promise<RunReport>;
  check(task: CheckTask, limits: Limits, host: Host): Promise<CheckReport>;
  /** How many runs are still to come, so that no process is booted in vain. */
  expect(runs: number): void;
  /** Ends everything that was started. */
  close(): Promise<void>;
}
