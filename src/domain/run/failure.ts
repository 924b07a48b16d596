import * as z from "zod";

export const Fault = z.enum(["model", "code", "infrastructure", "stopped"]);
export type Fault = z.infer<typeof Fault>;

/** The closed set of reasons why a run has no verdict: whose fault each is, its letter in rows of verdicts, and advice. */
const CAUSES = {
  no_answer: {
    fault: "model",
    letter: "n",
    advice: "read the transcript: the model gave no answer that the agent could use",
  },
  timeout: {
    fault: "model",
    letter: "t",
    advice: "raise limits.timeoutSeconds if the agent needs more time",
  },
  limit: {
    fault: "model",
    letter: "l",
    advice: "raise the limit that the message names if the agent needs more",
  },
  agent_error: {
    fault: "code",
    letter: "a",
    advice: "correct the agent, its tools or its set-up as the message says",
  },
  checker_error: {
    fault: "code",
    letter: "k",
    advice: "correct the checker, then run check: no agent has to run again",
  },
  out_of_memory: { fault: "code", letter: "m", advice: "use less memory, or raise limits.memoryMb" },
  provider_error: {
    fault: "infrastructure",
    letter: "p",
    advice: "check the name of the model and its key, then run --resume with --retry-failed",
  },
  rate_limited: {
    fault: "infrastructure",
    letter: "r",
    advice: "lower --concurrency or raise limits.maxWaitSeconds, then run --resume with --retry-failed",
  },
  crashed: {
    fault: "infrastructure",
    letter: "c",
    advice: "find out what killed the process (memory, a person), then run --resume with --retry-failed",
  },
  budget: { fault: "stopped", letter: "b", advice: "run --resume with a larger budget" },
  cancelled: { fault: "stopped", letter: "x", advice: "run --resume" },
} as const satisfies Record<string, { fault: Fault; letter: string; advice: string }>;

export type FailureCause = keyof typeof CAUSES;
export const FAILURE_CAUSES = Object.keys(CAUSES) as readonly FailureCause[];
export const FailureCause = z.enum(FAILURE_CAUSES as [FailureCause, ...FailureCause[]]);

export const faultOf = <Cause extends FailureCause>(cause: Cause): (typeof CAUSES)[Cause]["fault"] =>
  CAUSES[cause].fault;
export const adviceOn = (cause: FailureCause): string => CAUSES[cause].advice;

type CauseLetters = { readonly [Cause in FailureCause]: (typeof CAUSES)[Cause]["letter"] };
export const CAUSE_LETTERS = Object.fromEntries(
  FAILURE_CAUSES.map((cause) => [cause, CAUSES[cause].letter]),
) as CauseLetters;

/** Counts failures by whose fault they are. */
export function countFaults(causes: Partial<Record<FailureCause, number>>): Record<Fault, number> {
  const counts = { model: 0, code: 0, infrastructure: 0, stopped: 0 };
  for (const cause of FAILURE_CAUSES) counts[faultOf(cause)] += causes[cause] ?? 0;
  return counts;
}

export const failure = (cause: FailureCause, message: string) => ({ cause, fault: faultOf(cause), message });

/** A stored failure has the fault that its cause has today, whatever an earlier release made of it. */
export const Failure = z
  .object({ cause: FailureCause, fault: Fault, message: z.string() })
  .overwrite(({ cause, message }) => failure(cause, message));
export type Failure = z.infer<typeof Failure>;
