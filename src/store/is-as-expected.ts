import type { EvaluationState } from "./contract.ts";

/** Whether an update that expects a state may replace what is there; without expectations it may. */
export const isAsExpected = ({ round, status }: EvaluationState, expected?: EvaluationState): boolean =>
  expected === undefined || (expected.round === round && expected.status === status);
