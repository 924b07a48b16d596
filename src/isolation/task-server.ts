import type { FailureCause } from "../domain/failure.ts";
import type { GatewayAccess } from "../domain/gateway-access.ts";
import type { Json } from "../domain/json.ts";
import type { CheckTask, RunTask } from "./contract.ts";
import type { CallAnswer, CalledModel, FromChild, ReportedStep, ReportedUsage } from "./messages.ts";

/** What user code is given to reach the evaluator, wherever it runs. */
export interface CallLink {
  readonly signal: AbortSignal;
  call(providerKey: string, request: Json, signal: AbortSignal): Promise<CallAnswer>;
  usage(usage: ReportedUsage, model?: CalledModel): void;
}

export interface RunLink extends CallLink {
  readonly tempFolder: string;
  readonly gateway: GatewayAccess | null;
  step(step: ReportedStep): void;
}

export type RunAnswer =
  /** The text is the very JSON that will be stored. */
  | { readonly kind: "answered"; readonly resultText: string }
  | {
      readonly kind: "failed";
      readonly cause: Extract<FromChild, { kind: "failed" }>["cause"] & FailureCause;
      readonly message: string;
      readonly stack: string;
    };

export type CheckAnswer = Extract<FromChild, { kind: "verdict" | "check_failed" }>;

/** The user's code behind two calls that never reject: build and run the agent, and check a result. */
export interface TaskServer {
  run(task: RunTask, maxResultBytes: number, link: RunLink): Promise<RunAnswer>;
  check(task: CheckTask, link: CallLink): Promise<CheckAnswer>;
  /** Goes once through our own part of a run, with none of the user's code, so that it is compiled. */
  rehearse(): Promise<void>;
}
