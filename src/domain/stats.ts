import { FAILURE_CAUSES, FAULTS, type FailureCause, type Fault } from "./failure.ts";
import { entryModelKey, isStoppedBeforeStart, type LogEntry } from "./log-entry.ts";
import type { ModelKey } from "./model.ts";
import type { ModelStats } from "./model-stats.ts";
import { toNanoUsd, toUsd } from "./price.ts";
import { countedQuantiles } from "./statistics/counted-quantiles.ts";
import { addUsage, NO_USAGE, type Usage } from "./usage.ts";
import { addWhole, toWhole } from "./whole.ts";

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
  runtimeMs: 0,
  runtimes: new Map(),
});

type Counted = Pick<
  LogEntry,
  | "correct"
  | "score"
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

/** One tally per planned model, also for a model that never ran. */
export class StatsFold {
  readonly #tallies: Map<ModelKey, Tally>;
  readonly #plannedPerModel: number;

  constructor(models: Iterable<ModelKey>, plannedPerModel: number) {
    this.#tallies = new Map([...models].map((key) => [key, emptyTally()]));
    this.#plannedPerModel = plannedPerModel;
  }

  add(entry: LogEntry): void {
    const key = entryModelKey(entry);
    const tally = this.#tallies.get(key) ?? emptyTally();
    this.#tallies.set(key, tally);
    addEntry(tally, entry);
  }

  stats(): Record<ModelKey, ModelStats> {
    const pairs = [...this.#tallies].map(([key, tally]) => [key, toModelStats(tally, this.#plannedPerModel)]);
    return Object.fromEntries(pairs) as Record<ModelKey, ModelStats>;
  }
}

export function toModelStats(tally: Tally, planned: number): ModelStats {
  const byFault = countFaults(tally);
  const failed = byFault.model + byFault.infrastructure + byFault.stopped;
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

function countFaults(tally: Tally): Record<Fault, number> {
  const counts = { model: 0, infrastructure: 0, stopped: 0 };
  for (const cause of FAILURE_CAUSES) counts[FAULTS[cause]] += tally.failures[cause] ?? 0;
  return counts;
}

function quantiles(runtimes: ReadonlyMap<number, number>) {
  const [p50, p95] = countedQuantiles(runtimes, [0.5, 0.95]);
  return { p50RuntimeSeconds: toSeconds(p50), p95RuntimeSeconds: toSeconds(p95) };
}

const toSeconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);
