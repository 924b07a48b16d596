import { EvaluatorError } from "../domain/errors.ts";
import type { Checker, Finding } from "./checker.ts";
import { asking, cannotSay, meanScore, toFinding } from "./finding.ts";

/** Scores are rounded to millionths; nobody fails by that. */
const ROUNDING = 1e-6;

export interface WeightedOptions {
  /** The score from which a result is right; 0.5 by default. */
  readonly atLeast?: number;
}

/** The mean of the checkers' scores by their weights; one that cannot say has no weight. */
export function weighted(
  parts: readonly (readonly [checker: Checker, weight: number])[],
  { atLeast = 0.5 }: WeightedOptions = {},
): Checker {
  const bad = parts.find(([, weight]) => !(weight > 0 && Number.isFinite(weight)));
  if (bad !== undefined)
    throw new EvaluatorError(
      "checker.weight",
      `a weight of weighted() is ${bad[1]}; expected a number above 0`,
    );
  const checker: Checker = async (...given): Promise<Finding> => {
    const findings = await Promise.all(
      parts.map(async ([checker, weight]) => ({ weight, ...toFinding(await checker(...given)) })),
    );
    const scored = findings.flatMap(({ score, weight }) => (score === null ? [] : [{ score, weight }]));
    const reason = findings.map((each) => `${each.score ?? "–"} × ${each.weight}: ${each.reason}`).join("; ");
    if (scored.length === 0) return cannotSay(reason || "there is nothing to check");
    const score = meanScore(scored);
    return { correct: score >= atLeast - ROUNDING, score, reason };
  };
  return asking(
    checker,
    parts.map(([part]) => part),
  );
}
