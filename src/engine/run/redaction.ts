import type { Json } from "../../domain/json.ts";
import type { Problem } from "../../domain/problem.ts";
import { Redactor, type Secret } from "../../domain/redact.ts";
import { Failure, failure } from "../../domain/run/failure.ts";
import type { CheckReport, RunReport } from "../../isolation/isolation.ts";

/** Filter of what may be kept and shown of a run, and of what its agent may learn. */
export interface Redaction {
  readonly kept: Redactor;
  /** Leaves the agent what it was given in its environment. */
  readonly told: Redactor;
}

export const makeRedaction = (secrets: {
  readonly all: readonly Secret[];
  readonly gateways: readonly Secret[];
}): Redaction => ({ kept: new Redactor(secrets.all), told: new Redactor(secrets.gateways) });

/** A problem as it is stored and as every run gets it, so that a resumed run gets the same. */
export const redactProblem = (problem: Problem, { kept }: Redaction): Problem => ({
  ...problem,
  problem: kept.valuesIn(problem.problem),
  expected: kept.valuesIn(problem.expected),
  tags: problem.tags.map((tag) => kept.values(tag)),
  ...(problem.metadata === undefined ? {} : { metadata: kept.valuesIn(problem.metadata) }),
});

/** The result loses only known values: a later check must see what this one sees. Output was redacted as it came. */
export function redactReport(report: RunReport, { kept }: Redaction): RunReport {
  const { outcome } = report;
  if (outcome.kind === "answered") {
    return { ...report, outcome: { kind: "answered", result: kept.valuesIn<Json>(outcome.result) } };
  }
  const { cause, message } = outcome.failure;
  return { ...report, outcome: { kind: "failed", failure: failure(cause, kept.text(message)) } };
}

export function redactCheck(report: CheckReport, { kept }: Redaction): CheckReport {
  if (report.kind === "failed") return { kind: "failed", message: kept.text(report.message) };
  const { reason, metadata } = report;
  return {
    ...report,
    reason: reason === null ? null : kept.text(reason),
    ...(metadata === undefined ? {} : { metadata: kept.valuesIn(metadata) }),
  };
}

/** Explains why a run has to end: the failure that the signal was aborted with, or that the evaluation was cancelled. */
export function stopFailure(signal: AbortSignal): Failure {
  const given = Failure.safeParse(signal.reason);
  return given.success ? given.data : failure("cancelled", "the evaluation was cancelled");
}
