import type { Clock } from "../../domain/clock.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { Limits } from "../../domain/limits.ts";
import type { Run } from "../../domain/plan.ts";
import type { PriceList } from "../../domain/run/usage.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { RunTokens } from "../../gateway/http/run.ts";
import type { Isolation, RunTask } from "../../isolation/isolation.ts";
import type { Meter } from "./meter.ts";
import type { Redaction } from "./redaction.ts";
import { RunSession } from "./run-session.ts";

/** What all runs of a round have in common. */
export interface RunSpec {
  readonly evaluationId: EvaluationId;
  readonly round: number;
  readonly limits: Limits;
  readonly isolation: Isolation;
  readonly gateway: Gateway;
  /** Where agents that bring their own SDK call in; the definition's `gateway: true`. */
  readonly tokens?: RunTokens | undefined;
  readonly redaction: Redaction;
  readonly prices: PriceList;
  readonly clock: Clock;
  /** Ends the run, as cancelled or as the failure that it was aborted with. */
  readonly cancelled: AbortSignal;
  /** The definition brings its own providers, which fail in the run's process. */
  readonly hasOwnProviders: boolean;
}

export const openSession = (run: Run, spec: RunSpec, meter: Meter): RunSession =>
  new RunSession({
    model: run.model,
    meter,
    limits: spec.limits,
    gateway: spec.gateway,
    tokens: spec.tokens ?? null,
    redaction: spec.redaction,
    prices: spec.prices,
    cancelled: spec.cancelled,
    nowMs: () => spec.clock.monotonicMs(),
  });

export const taskOf = (run: Run): RunTask => ({
  runId: run.runId,
  providerKey: run.model.providerKey,
  model: run.model.model,
  problemId: run.problem.id,
  problem: run.problem.problem,
  trial: run.trial,
});
