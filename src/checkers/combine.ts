import { EvaluatorError } from "../domain/errors.ts";
import {
  asking,
  type Checker,
  cannotSay,
  comparedValue,
  type Finding,
  toFinding,
  weightedMean,
} from "./checker.ts";

/** Right when every checker says so; they are asked in order until one says wrong, and the lowest score counts. */
export const all = (...checkers: readonly Checker[]): Checker => askInOrder(checkers, false, Math.min);

/** Right when one checker says so; they are asked in order until one does, and the highest score counts. */
export const any = (...checkers: readonly Checker[]): Checker => askInOrder(checkers, true, Math.max);

/** Right when the checker says wrong; undecided stays undecided. */
export const not = (checker: Checker): Checker =>
  asking(
    async (...given): Promise<Finding> => {
      const finding = toFinding(await checker(...given));
      const { correct, score, reason } = finding;
      return {
        ...metricsOf([finding]),
        correct: correct === null ? null : !correct,
        score: score === null ? null : 1 - score,
        reason: `not: ${reason}`,
      };
    },
    [checker],
  );

/** A checker may cost money, so none is asked for what is decided already. */
const askInOrder = (
  checkers: readonly Checker[],
  decisive: boolean,
  pick: (...scores: number[]) => number,
): Checker =>
  asking(async (...given): Promise<Finding> => {
    const findings: Finding[] = [];
    for (const checker of checkers) {
      const finding = toFinding(await checker(...given));
      findings.push(finding);
      if (finding.correct === decisive) break;
    }
    const scores = findings.flatMap(({ score }) => (score === null ? [] : [score]));
    const score = scores.length === 0 ? null : pick(...scores);
    return { ...together(findings, decisive), ...metricsOf(findings), score };
  }, checkers);

/** One that is `decisive` decides; else one that cannot say leaves it open. */
function together(findings: readonly Finding[], decisive: boolean): Omit<Finding, "score"> {
  const deciding = findings.filter(({ correct }) => correct === decisive);
  const open = findings.filter(({ correct }) => correct === null);
  if (deciding.length > 0) return { correct: decisive, reason: reasons(deciding) };
  if (open.length > 0) return { correct: null, reason: reasons(open) };
  return { correct: !decisive, reason: reasons(findings) };
}

/** All further numbers that parts gave; of two with one name the later one stays. */
const metricsOf = (findings: readonly Finding[]): Pick<Finding, "metrics"> =>
  findings.every(({ metrics }) => metrics === undefined)
    ? {}
    : { metrics: Object.assign({}, ...findings.map(({ metrics }) => metrics)) };

const reasons = (findings: readonly Finding[]): string =>
  findings.map(({ reason }) => reason).join("; ") || "there is nothing to check";

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
    const metrics = metricsOf(findings);
    if (scored.length === 0) return { ...cannotSay(reason || "there is nothing to check"), ...metrics };
    const score = weightedMean(scored);
    return { correct: score >= atLeast - ROUNDING, score, reason, ...metrics };
  };
  return asking(
    checker,
    parts.map(([part]) => part),
  );
}

/** The result of a scorer like those of autoevals. */
export interface ScorerResult {
  readonly name?: string;
  readonly score: number | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

// Each scorer has fields of its own beside these three, and most of them optional.
type Scorer = (args: never) => ScorerResult | number | null | Promise<ScorerResult | number | null>;

export interface FromScorerOptions {
  /** The score from which a result is right; 0.5 by default. */
  readonly atLeast?: number;
  /** Arguments of the scorer beside input, output and expected. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** A scorer `({ input, output, expected }) => { score }`, as in autoevals, as a checker. */
export const fromScorer =
  (scorer: Scorer, { atLeast = 0.5, args = {} }: FromScorerOptions = {}): Checker =>
  async (result, expected, { problem }): Promise<Finding> => {
    const output = comparedValue(result, expected);
    const given = { ...args, input: problem, output, ...(expected === null ? {} : { expected }) };
    const said = await scorer(given as never);
    const {
      score,
      name = scorer.name || "the scorer",
      metadata,
      error,
    } = typeof said === "object" && said !== null ? said : { score: said };
    if (error !== undefined && error !== null)
      throw new Error(`${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    if (score === null || score === undefined) return cannotSay(`${name} gave no score`);
    if (typeof score !== "number" || !Number.isFinite(score))
      throw new TypeError(`${name} gave the score ${String(score)}; expected a number`);
    const why = typeof metadata?.rationale === "string" ? `: ${metadata.rationale}` : "";
    return {
      correct: score >= atLeast,
      score,
      reason: `${name} gave ${rounded(score)}; correct from ${atLeast}${why}`,
    };
  };

const rounded = (score: number): number => Math.round(score * 1_000) / 1_000;
