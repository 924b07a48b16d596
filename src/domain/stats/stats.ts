import * as z from "zod";
import { type ModelKey, modelKey } from "../model.ts";
import type { PlanSize } from "../plan.ts";
import { addWhole, toWhole } from "../run/amounts.ts";
import { countFaults, FAILURE_CAUSES, FailureCause } from "../run/failure.ts";
import { entryModelKey, isStoppedBeforeStart, type LogEntry } from "../run/log-entry.ts";
import { addUsage, NO_USAGE, toNanoUsd, toUsd, type Usage } from "../run/usage.ts";
import { addMetrics, MetricMeans, type MetricSums, mergeMetrics, metricMeans } from "./metric-sums.ts";
import { countedQuantiles } from "./quantiles.ts";

/** Integers only, so that folding in any order, or merging parts, gives the same numbers to the last digit. */
export interface Tally {
  correct: number;
  wrong: number;
  unscored: number;
  failures: Partial<Record<FailureCause, number>>;
  usage: Usage;
  unknownUsage: number;
  costNanoUsd: number;
  knownCosts: number;
  unknownCosts: number;
  judgeUsage: Usage;
  judgeCostNanoUsd: number;
  knownJudgeCosts: number;
  unknownJudgeCosts: number;
  scoreMicros: number;
  scores: number;
  /** Sums of further numbers that checkers gave, by their names. */
  metrics: MetricSums;
  runtimeMs: number;
  /** How many runs took so many milliseconds. */
  runtimes: Map<number, number>;
}

export const emptyTally = (): Tally => ({
  correct: 0,
  wrong: 0,
  unscored: 0,
  failures: {},
  usage: NO_USAGE,
  unknownUsage: 0,
  costNanoUsd: 0,
  knownCosts: 0,
  unknownCosts: 0,
  judgeUsage: NO_USAGE,
  judgeCostNanoUsd: 0,
  knownJudgeCosts: 0,
  unknownJudgeCosts: 0,
  scoreMicros: 0,
  scores: 0,
  metrics: new Map(),
  runtimeMs: 0,
  runtimes: new Map(),
});

type Counted = Pick<
  LogEntry,
  | "correct"
  | "score"
  | "metrics"
  | "failure"
  | "attempts"
  | "usage"
  | "costUsd"
  | "judgeUsage"
  | "judgeCostUsd"
  | "runtimeSeconds"
>;

export function addEntry(tally: Tally, entry: Counted): void {
  countVerdict(tally, entry);
  if (!isStoppedBeforeStart(entry)) countSpent(tally, entry);
  countJudge(tally, entry);
  if (entry.score !== null) {
    tally.scores++;
    tally.scoreMicros += Math.round(entry.score * 1e6);
  }
  addMetrics(tally.metrics, entry.metrics);
  if (entry.attempts.length > 0) countRuntime(tally, entry);
}

function countSpent(tally: Tally, { usage, costUsd }: Counted): void {
  if (usage === null) tally.unknownUsage++;
  else tally.usage = addUsage(tally.usage, usage);
  if (costUsd === null) tally.unknownCosts++;
  else {
    tally.knownCosts++;
    tally.costNanoUsd = addWhole(tally.costNanoUsd, toNanoUsd(costUsd));
  }
}

/** Of a run without an attempt nobody took the time; its zero would pull the quantiles down. */
function countRuntime(tally: Tally, { runtimeSeconds }: Counted): void {
  const runtimeMs = toWhole(runtimeSeconds * 1_000);
  tally.runtimeMs = addWhole(tally.runtimeMs, runtimeMs);
  tally.runtimes.set(runtimeMs, (tally.runtimes.get(runtimeMs) ?? 0) + 1);
}

/** A run that no model judged has no judge's cost, known or unknown. */
function countJudge(tally: Tally, { judgeUsage, judgeCostUsd }: Counted): void {
  if (judgeUsage === null) return;
  tally.judgeUsage = addUsage(tally.judgeUsage, judgeUsage);
  if (judgeCostUsd === null) tally.unknownJudgeCosts++;
  else {
    tally.knownJudgeCosts++;
    tally.judgeCostNanoUsd = addWhole(tally.judgeCostNanoUsd, toNanoUsd(judgeCostUsd));
  }
}

function countVerdict(tally: Tally, { failure, correct }: Counted): void {
  if (failure !== null) tally.failures[failure.cause] = (tally.failures[failure.cause] ?? 0) + 1;
  else if (correct === null) tally.unscored++;
  else if (correct) tally.correct++;
  else tally.wrong++;
}

/** Adds a part to a whole; in any order the sums are the same. */
function mergeTally(into: Tally, part: Tally): void {
  for (const field of SUMMED) into[field] = addWhole(into[field], part[field]);
  into.scoreMicros += part.scoreMicros;
  for (const cause of FAILURE_CAUSES) {
    const count = part.failures[cause] ?? 0;
    if (count > 0) into.failures[cause] = (into.failures[cause] ?? 0) + count;
  }
  mergeMetrics(into.metrics, part.metrics);
  into.usage = addUsage(into.usage, part.usage);
  into.judgeUsage = addUsage(into.judgeUsage, part.judgeUsage);
  for (const [runtimeMs, times] of part.runtimes) {
    into.runtimes.set(runtimeMs, (into.runtimes.get(runtimeMs) ?? 0) + times);
  }
}

/** Scores may be below 0, so their sum stands by itself. */
type NumberField = Exclude<
  { [Field in keyof Tally]: Tally[Field] extends number ? Field : never }[keyof Tally],
  "scoreMicros"
>;

// A table by field, so that a new number in a tally cannot be forgotten here.
const SUMMED_FIELDS = {
  correct: true,
  wrong: true,
  unscored: true,
  unknownUsage: true,
  costNanoUsd: true,
  knownCosts: true,
  unknownCosts: true,
  judgeCostNanoUsd: true,
  knownJudgeCosts: true,
  unknownJudgeCosts: true,
  scores: true,
  runtimeMs: true,
} as const satisfies Record<NumberField, true>;
const SUMMED = Object.keys(SUMMED_FIELDS) as readonly NumberField[];

/** Adds up runs per model, entry by entry or part by part; a planned model that never ran has its tally too. */
export class StatsFold {
  readonly tallies: Map<ModelKey, Tally>;
  readonly #plannedPerModel: number;

  constructor(models: Iterable<ModelKey> = [], plannedPerModel = 0) {
    this.tallies = new Map([...models].map((key) => [key, emptyTally()]));
    this.#plannedPerModel = plannedPerModel;
  }

  /** For all runs of an evaluation. */
  static of({ models, problemCount, trials }: PlanSize): StatsFold {
    return new StatsFold(models.map(modelKey), problemCount * trials);
  }

  add(entry: LogEntry): void {
    addEntry(this.#tallyOf(entryModelKey(entry)), entry);
  }

  merge(key: ModelKey, part: Tally): void {
    mergeTally(this.#tallyOf(key), part);
  }

  stats(): Record<ModelKey, ModelStats> {
    const pairs = [...this.tallies].map(([key, tally]) => [key, toModelStats(tally, this.#plannedPerModel)]);
    return Object.fromEntries(pairs) as Record<ModelKey, ModelStats>;
  }

  #tallyOf(key: ModelKey): Tally {
    const known = this.tallies.get(key) ?? emptyTally();
    this.tallies.set(key, known);
    return known;
  }
}

export function toModelStats(tally: Tally, planned: number): ModelStats {
  const byFault = countFaults(tally.failures);
  const failed = byFault.model + byFault.code + byFault.infrastructure + byFault.stopped;
  const scored = tally.correct + tally.wrong;
  const finished = scored + tally.unscored + failed;
  return {
    finished,
    correct: tally.correct,
    inputTokens: tally.usage.inputTokens,
    outputTokens: tally.usage.outputTokens,
    totalRuntimeSeconds: tally.runtimeMs / 1_000,
    planned,
    wrong: tally.wrong,
    scored,
    unscored: tally.unscored,
    failed,
    failuresByCause: Object.fromEntries(
      FAILURE_CAUSES.filter((cause) => tally.failures[cause]).map((cause) => [cause, tally.failures[cause]]),
    ),
    failuresByFault: byFault,
    accuracy: share(tally.correct, scored + byFault.model),
    accuracyOfScored: share(tally.correct, scored),
    accuracyOfAll: share(tally.correct, finished),
    failureRate: share(failed, finished),
    meanScore: tally.scores === 0 ? null : tally.scoreMicros / tally.scores / 1e6,
    metrics: metricMeans(tally.metrics),
    cachedInputTokens: tally.usage.cachedInputTokens,
    reasoningTokens: tally.usage.reasoningTokens,
    costUsd: tally.knownCosts === 0 ? null : toUsd(tally.costNanoUsd),
    runsWithUnknownCost: tally.unknownCosts,
    runsWithUnknownUsage: tally.unknownUsage,
    judgeInputTokens: tally.judgeUsage.inputTokens,
    judgeOutputTokens: tally.judgeUsage.outputTokens,
    judgeCostUsd: tally.knownJudgeCosts === 0 ? null : toUsd(tally.judgeCostNanoUsd),
    runsWithUnknownJudgeCost: tally.unknownJudgeCosts,
    ...quantiles(tally.runtimes),
  };
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

function quantiles(runtimes: ReadonlyMap<number, number>) {
  const [p50, p95] = countedQuantiles(runtimes, [0.5, 0.95]);
  return { p50RuntimeSeconds: p50 && p50 / 1_000, p95RuntimeSeconds: p95 && p95 / 1_000 };
}

const Count = z.int().nonnegative();
const Share = z.number().nullable();

/** Sums over all runs of one model: the seed's five fields, then what is needed to trust them. */
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
    /** Answers about which the checker was undecided. */
    unscored: Count,
    failed: Count,
    failuresByCause: z.partialRecord(FailureCause, Count).readonly(),
    failuresByFault: z
      .object({ model: Count, code: Count.default(0), infrastructure: Count, stopped: Count })
      .readonly(),
    /** Headline: correct / (scored + the model's own faults); null when that is 0 of 0. */
    accuracy: Share,
    accuracyOfScored: Share,
    accuracyOfAll: Share,
    failureRate: Share,
    meanScore: z.number().nullable(),
    /** Means of further numbers that checkers gave, by their names. */
    metrics: MetricMeans,
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
  .readonly()
  .overwrite(withFaultsOfToday);
export type ModelStats = z.infer<typeof ModelStats>;

/** What an earlier release stored counts by the faults that causes have now. */
function withFaultsOfToday<Stored extends StoredFaults>(stats: Stored): Stored {
  const failuresByFault = countFaults(stats.failuresByCause);
  return { ...stats, failuresByFault, accuracy: share(stats.correct, stats.scored + failuresByFault.model) };
}

type StoredFaults = Pick<Tally, "correct"> & { scored: number; failuresByCause: Tally["failures"] };
