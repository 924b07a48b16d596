import * as z from "zod";
import { FailureCause } from "./failure.ts";

const Count = z.int().nonnegative();
const Share = z.number().nullable();

/** What all runs of one model add up to: the seed's five fields, then what is needed to trust them. */
export const ModelStats = z
  .object({
    finished: Count,
    correct: Count,
    inputTokens: Count,
    outputTokens: Count,
    totalRuntimeSeconds: z.number(),
    planned: Count,
    wrong: Count,
    /** Answers that a checker judged right or wrong. */
    scored: Count,
    /** Answers about which the checker could not say. */
    unscored: Count,
    failed: Count,
    failuresByCause: z.partialRecord(FailureCause, Count).readonly(),
    failuresByFault: z.object({ model: Count, infrastructure: Count, stopped: Count }).readonly(),
    /** Headline: correct / (scored + the model's own faults); null when that is 0 of 0. */
    accuracy: Share,
    accuracyOfScored: Share,
    accuracyOfAll: Share,
    failureRate: Share,
    meanScore: z.number().nullable(),
    cachedInputTokens: Count,
    reasoningTokens: Count,
    /** Dollars of the runs whose price is known; null when none is. */
    costUsd: z.number().nullable(),
    runsWithUnknownCost: Count,
    runsWithUnknownUsage: Count,
    /** What checkers that ask a model used; not part of the tokens and the cost above. */
    judgeInputTokens: Count,
    judgeOutputTokens: Count,
    judgeCostUsd: z.number().nullable(),
    runsWithUnknownJudgeCost: Count,
    p50RuntimeSeconds: z.number().nullable(),
    p95RuntimeSeconds: z.number().nullable(),
  })
  .readonly();
export type ModelStats = z.infer<typeof ModelStats>;
