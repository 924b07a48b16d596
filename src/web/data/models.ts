import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { Model, ModelKey } from "../../domain/model.ts";
import type { FailureCause } from "../../domain/run/failure.ts";
import { VERDICT } from "../../domain/run/verdict.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";

export type Outcome = "right" | "wrong" | "failed" | "open";

interface VerdictInfo {
  readonly outcome: Outcome;
  readonly symbol: string;
  readonly words: string;
  readonly cause: FailureCause | null;
}

const PLAIN: Readonly<Record<string, VerdictInfo>> = {
  [VERDICT.correct]: { outcome: "right", symbol: "✓", words: "right", cause: null },
  [VERDICT.wrong]: { outcome: "wrong", symbol: "✗", words: "wrong", cause: null },
  [VERDICT.unscored]: { outcome: "open", symbol: "?", words: "the checker could not say", cause: null },
  [VERDICT.missing]: { outcome: "open", symbol: "·", words: "not run yet", cause: null },
};

const FAILED: Readonly<Record<string, VerdictInfo>> = Object.fromEntries(
  Object.entries(VERDICT)
    .filter(([, letter]) => !(letter in PLAIN))
    .map(([cause, letter]) => [
      letter,
      { outcome: "failed", symbol: "!", words: `failed: ${cause}`, cause: cause as FailureCause },
    ]),
);

/** What one character of a verdict row means to a reader; an unknown one is a run that is not done. */
export const readVerdict = (letter: string): VerdictInfo =>
  PLAIN[letter] ?? FAILED[letter] ?? { outcome: "open", symbol: "·", words: "not run yet", cause: null };

type Costs = Readonly<Record<string, Pick<ModelStats, "costUsd" | "runsWithUnknownCost">>>;

/** What all models cost together; null when nothing is known. */
export function totalCost(stats: Costs): { costUsd: number | null; runsWithUnknownCost: number } {
  const models = Object.values(stats);
  const known = models.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    costUsd: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    runsWithUnknownCost: models.reduce((sum, { runsWithUnknownCost }) => sum + runsWithUnknownCost, 0),
  };
}

const keyOf = ({ providerKey, model }: Model): ModelKey => `${providerKey}/${model}` as ModelKey;

/** The keys of an evaluation's models, in its order. */
export const modelKeys = ({ models }: Pick<EvaluationRecord, "models">): readonly ModelKey[] =>
  models.map(keyOf);
