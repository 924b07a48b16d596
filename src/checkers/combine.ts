import { EvaluatorError } from "../domain/errors.ts";
import {
  asking,
  type CheckContext,
  type Checker,
  cannotSay,
  type Finding,
  toFinding,
  weightedMean,
} from "./checker.ts";

/** Right when every checker says so; they are asked in order until one says wrong, and the lowest score counts. */
export const all = (...checkers: readonly Checker[]): Checker =>
  asking(async (...given): Promise<Finding> => {
    const findings = await ask(checkers, given, false);
    return { ...together(findings, false), score: extreme(findings, Math.min) };
  }, checkers);

/** Right when one checker says so; they are asked in order until one does, and the highest score counts. */
export const any = (...checkers: readonly Checker[]): Checker =>
  asking(async (...given): Promise<Finding> => {
    const findings = await ask(checkers, given, true);
    return { ...together(findings, true), score: extreme(findings, Math.max) };
  }, checkers);

/** Right when the checker says wrong; undecided stays undecided. */
export const not = (checker: Checker): Checker =>
  asking(
    async (...given): Promise<Finding> => {
      const { correct, score, reason } = toFinding(await checker(...given));
      return {
        correct: correct === null ? null : !correct,
        score: score === null ? null : 1 - score,
        reason: `not: ${reason}`,
      };
    },
    [checker],
  );

/** A checker may cost money, so none is asked for what is decided already. */
async function ask(
  checkers: readonly Checker[],
  given: readonly [unknown, unknown, CheckContext],
  decisive: boolean,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const checker of checkers) {
    const finding = toFinding(await checker(...given));
    findings.push(finding);
    if (finding.correct === decisive) break;
  }
  return findings;
}

/** One that is `decisive` decides; else one that cannot say leaves it open. */
function together(findings: readonly Finding[], decisive: boolean): Omit<Finding, "score"> {
  const deciding = findings.filter(({ correct }) => correct === decisive);
  const open = findings.filter(({ correct }) => correct === null);
  if (deciding.length > 0) return { correct: decisive, reason: reasons(deciding) };
  if (open.length > 0) return { correct: null, reason: reasons(open) };
  return { correct: !decisive, reason: reasons(findings) };
}

const reasons = (findings: readonly Finding[]): string =>
  findings.map(({ reason }) => reason).join("; ") || "there is nothing to check";

function extreme(findings: readonly Finding[], pick: (...scores: number[]) => number): number | null {
  const scores = findings.flatMap(({ score }) => (score === null ? [] : [score]));
  return scores.length === 0 ? null : pick(...scores);
}

/** Scores are rounded to millionths; nobody fails by that. */
const ROUNDING = 1e-6;

export interface WeightedOptions {
  /** The score from which a result is right; 0.5 by default. */
  readonly atLeast?: number;
}

/** The mean of the checkers' scores by their weights; an undecided one has no weight. */
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
    const score = weightedMean(scored);
    return { correct: score >= atLeast - ROUNDING, score, reason };
  };
  return asking(
    checker,
    parts.map(([part]) => part),
  );
}
