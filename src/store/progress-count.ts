import type { LogEntry } from "../domain/log-entry.ts";
import { toNanoUsd, toUsd } from "../domain/price.ts";
import { addWhole } from "../domain/whole.ts";
import type { Progress } from "./contract.ts";

/** Progress in integers, so that sums do not depend on their order. */
export type ProgressCount = Omit<Progress, "costUsd"> & { readonly costNanoUsd: number };

export const NO_COUNT: ProgressCount = {
  finished: 0,
  correct: 0,
  failed: 0,
  inputTokens: 0,
  outputTokens: 0,
  costNanoUsd: 0,
};

type Counted = Pick<LogEntry, "failure" | "correct" | "usage" | "costUsd">;

/** What one entry adds. */
export const countOf = ({ failure, correct, usage, costUsd }: Counted): ProgressCount => ({
  finished: 1,
  correct: Number(failure === null && correct === true),
  failed: Number(failure !== null),
  inputTokens: usage?.inputTokens ?? 0,
  outputTokens: usage?.outputTokens ?? 0,
  costNanoUsd: toNanoUsd(costUsd ?? 0),
});

export const addCounts = (a: ProgressCount, b: ProgressCount): ProgressCount => ({
  finished: a.finished + b.finished,
  correct: a.correct + b.correct,
  failed: a.failed + b.failed,
  inputTokens: addWhole(a.inputTokens, b.inputTokens),
  outputTokens: addWhole(a.outputTokens, b.outputTokens),
  costNanoUsd: addWhole(a.costNanoUsd, b.costNanoUsd),
});

export const toProgress = ({ costNanoUsd, ...counts }: ProgressCount): Progress => ({
  ...counts,
  costUsd: toUsd(costNanoUsd),
});
