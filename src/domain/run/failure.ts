import * as z from "zod";

export const Fault = z.enum(["model", "infrastructure", "stopped"]);
export type Fault = z.infer<typeof Fault>;

/** The closed set of reasons why a run has no verdict, and whose fault each is. */
export const FAULTS = {
  no_answer: "model",
  agent_error: "model",
  timeout: "model",
  limit: "model",
  provider_error: "infrastructure",
  rate_limited: "infrastructure",
  out_of_memory: "infrastructure",
  crashed: "infrastructure",
  checker_error: "infrastructure",
  budget: "stopped",
  cancelled: "stopped",
} as const satisfies Record<string, Fault>;

export type FailureCause = keyof typeof FAULTS;
export const FAILURE_CAUSES = Object.keys(FAULTS) as readonly FailureCause[];
export const FailureCause = z.enum(FAILURE_CAUSES as [FailureCause, ...FailureCause[]]);

export const Failure = z.object({ cause: FailureCause, fault: Fault, message: z.string() });
export type Failure = z.infer<typeof Failure>;

export const failure = (cause: FailureCause, message: string): Failure => ({
  cause,
  fault: FAULTS[cause],
  message,
});
