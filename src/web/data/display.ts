import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { formatCost, formatDuration } from "../../domain/format.ts";
import type { Model, ModelKey } from "../../domain/model.ts";
import type { FailureCause } from "../../domain/run/failure.ts";
import { VERDICT } from "../../domain/run/verdict.ts";
import type { Estimate } from "../../domain/stats/estimate.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { wilsonInterval } from "../../statistics/shares.ts";

type Outcome = "right" | "wrong" | "failed" | "open";

interface VerdictInfo {
  readonly outcome: Outcome;
  readonly symbol: string;
  readonly words: string;
  readonly cause: FailureCause | null;
}

const NOT_RUN = { outcome: "open", symbol: "·", words: "not run yet", cause: null } as const;

const PLAIN: Readonly<Record<string, VerdictInfo>> = {
  [VERDICT.correct]: { outcome: "right", symbol: "✓", words: "correct", cause: null },
  [VERDICT.wrong]: { outcome: "wrong", symbol: "✗", words: "wrong", cause: null },
  [VERDICT.unscored]: { outcome: "open", symbol: "?", words: "the checker was undecided", cause: null },
  [VERDICT.missing]: NOT_RUN,
};

const FAILED: Readonly<Record<string, VerdictInfo>> = Object.fromEntries(
  Object.entries(VERDICT)
    .filter(([, letter]) => !(letter in PLAIN))
    .map(([cause, letter]) => [
      letter,
      { outcome: "failed", symbol: "!", words: `failed: ${cause}`, cause: cause as FailureCause },
    ]),
);

/** Explains one character of a verdict row; an unknown one is a run that is not done. */
export const readVerdict = (letter: string): VerdictInfo => PLAIN[letter] ?? FAILED[letter] ?? NOT_RUN;

type Costs = Readonly<Record<string, Pick<ModelStats, "costUsd" | "runsWithUnknownCost">>>;

/** Shows the cost of all models together. */
export function totalCost(stats: Costs): string {
  const models = Object.values(stats);
  const known = models.flatMap(({ costUsd }) => costUsd ?? []);
  const costUsd = known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0);
  return formatCost(
    costUsd,
    models.reduce((sum, { runsWithUnknownCost }) => sum + runsWithUnknownCost, 0),
  );
}

/** Shows how long an evaluation took, or has taken until now. */
export function durationOf({ startedAt, endedAt }: Pick<EvaluationRecord, "startedAt" | "endedAt">): string {
  const end = endedAt === null ? Date.now() : Date.parse(endedAt);
  return formatDuration((end - Date.parse(startedAt)) / 1_000);
}

/** Divides a model's known cost by the runs that it is known for. */
export function costPerRun({
  costUsd,
  finished,
  runsWithUnknownCost,
}: Pick<ModelStats, "costUsd" | "finished" | "runsWithUnknownCost">): number | null {
  const priced = finished - runsWithUnknownCost;
  return costUsd === null || priced === 0 ? null : costUsd / priced;
}

/** Reads a model's accuracy with an interval as wide as if all trials of a problem were alike: nothing here says they are not. */
export function accuracyOf(
  stats: Pick<ModelStats, "accuracy" | "scored" | "failuresByFault">,
  trials: number,
): Estimate | null {
  const { accuracy, scored, failuresByFault } = stats;
  if (accuracy === null) return null;
  const problems = Math.max(1, (scored + failuresByFault.model) / trials);
  return { value: accuracy, ...wilsonInterval(accuracy, problems) };
}

/** Turns an accuracy into percent, as charts show it. */
export function accuracyPercents(shown: Estimate | null) {
  if (shown === null) return null;
  return { accuracy: shown.value * 100, low: shown.low * 100, high: shown.high * 100 };
}

/** Names a model as `provider/model`; the domain's own function would bring zod into the page. */
export const keyOf = ({ providerKey, model, variant }: Model): ModelKey =>
  `${providerKey}/${model}${variant === undefined ? "" : `@${variant}`}` as ModelKey;

/** Lists the keys of an evaluation's models, in its order. */
export const modelKeys = ({ models }: Pick<EvaluationRecord, "models">): readonly ModelKey[] =>
  models.map(keyOf);

/** Makes text safe to show: control characters become visible signs, and none changes the reading order. */
export const plainText = (text: string): string =>
  text.replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, picture);

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\\u${code.toString(16).padStart(4, "0")}`;
}

/** Shows a string as it is, anything else as indented JSON. */
export const showJson = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
