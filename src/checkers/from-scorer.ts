import { type Checker, cannotSay, comparedValue, type Finding } from "./checker.ts";

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
      reason: `${name} gave ${rounded(score)}, right from ${atLeast}${why}`,
    };
  };

const rounded = (score: number): number => Math.round(score * 1_000) / 1_000;
