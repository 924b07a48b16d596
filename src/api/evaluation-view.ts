import * as z from "zod";
import { NO_SPEND } from "../domain/budget.ts";
import { EvaluationRecord } from "../domain/evaluation.ts";
import { ModelKey } from "../domain/model.ts";
import { countPlanned } from "../domain/plan.ts";
import { ModelStats } from "../domain/stats/stats.ts";
import { addWhole } from "../domain/stats/whole.ts";
import type { Engine } from "../engine/engine.ts";
import type { ApiParts } from "./route.ts";

const Count = z.int().nonnegative();

/** An evaluation with how far it has come, at any time. */
export const EvaluationView = EvaluationRecord.extend({
  stats: z.record(ModelKey, ModelStats),
  progress: z.object({
    total: Count,
    finished: Count,
    correct: Count,
    failed: Count,
    inputTokens: Count,
    outputTokens: Count,
    costUsd: z.number().nullable(),
  }),
  /** What all rounds used, where there is a budget. */
  spent: z.object({ nanoUsd: Count, tokens: Count }).nullable(),
});
export type EvaluationView = z.infer<typeof EvaluationView>;

export async function viewEvaluation(
  record: EvaluationRecord,
  { stats, store }: Pick<ApiParts, "stats" | "store">,
): Promise<EvaluationView> {
  const all = await stats.stats(record);
  const total = countPlanned(record);
  // The store counts as runs end; stats may be some seconds old. Later rounds are counted from their own start.
  const isFirstTime = record.status === "running" && record.round === 1;
  const counted = isFirstTime ? await store.progress(record.id) : sumUp(Object.values(all));
  const spent = record.budget === null ? null : await store.addSpend(record.id, NO_SPEND);
  return { ...record, stats: all, progress: { total, ...counted }, spent };
}

function sumUp(all: readonly ModelStats[]) {
  const sum = (pick: (stats: ModelStats) => number) => all.reduce((total, each) => total + pick(each), 0);
  const whole = (pick: (stats: ModelStats) => number) =>
    all.reduce((total, each) => addWhole(total, pick(each)), 0);
  return {
    finished: sum((each) => each.finished),
    correct: sum((each) => each.correct),
    failed: sum((each) => each.failed),
    inputTokens: whole((each) => each.inputTokens),
    outputTokens: whole((each) => each.outputTokens),
    costUsd: all.some((each) => each.costUsd !== null) ? sum((each) => each.costUsd ?? 0) : null,
  };
}

/** The record as people need it: an evaluation that nobody works on any more is not running. */
export const seenEvaluation = (record: EvaluationRecord, engine: Engine): EvaluationRecord =>
  engine.isLost?.(record) ? { ...record, status: "broken", owner: null } : record;
