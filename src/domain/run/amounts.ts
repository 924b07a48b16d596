// Without zod, so that a run's process can load it alone.

/**
 * The sum of two whole numbers from 0, up to the largest that is exact. A larger sum stays there, so that sums are the
 * same in any order and every store can hold them.
 */
export const addWhole = (a: number, b: number): number => Math.min(Number.MAX_SAFE_INTEGER, a + b);

/** The nearest whole number from 0 that is exact. */
export const toWhole = (value: number): number =>
  Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, Math.round(value)));

/**
 * The most tokens of a kind that one run, and so any call of it, may use. A million runs with two judged rounds each,
 * input and output, add up to 8 × 10¹⁵, and whole numbers are exact up to 9 × 10¹⁵.
 */
export const MAX_TOKENS = 1_000_000_000;

/** Numbers of tokens by their kind. */
type TokenCounts = { readonly [kind: string]: number | undefined };

/** The first count that is more than a run may use; null when all are within it. */
export function excessOf(usage: TokenCounts): readonly [name: string, tokens: number] | null {
  for (const [name, tokens = 0] of Object.entries(usage)) if (tokens > MAX_TOKENS) return [name, tokens];
  return null;
}

/** The usage that a reply reports; null if any of its numbers is impossible. */
export function knownUsage<Said extends TokenCounts>(said: Said | null | undefined): Said | null {
  if (said === null || typeof said !== "object") return null;
  const isKnown = Object.values(said).every((tokens) => tokens === undefined || isCount(tokens));
  return isKnown ? said : null;
}

const isCount = (tokens: number): boolean => Number.isInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS;

/** Scores are added up in whole millionths; within this bound thousands of them stay exact. */
export const MAX_SCORE = 1_000_000;

/** Numbers that a checker gives beside its score, by name. */
export type Metrics = Readonly<Record<string, number>>;

const MAX_METRICS = 20;
const METRIC_NAME = /^[\p{L}_][\p{L}\p{N}_.-]{0,39}$/u;

/** Says why metrics cannot be kept; null when they can. */
export function whyNoMetrics(metrics: object): string | null {
  const names = Object.keys(metrics);
  if (names.length > MAX_METRICS) return `metrics has ${names.length} names, more than ${MAX_METRICS}`;
  const badName = names.find((name) => !METRIC_NAME.test(name) || name === "__proto__");
  if (badName !== undefined)
    return `metrics has the name ${JSON.stringify(badName.slice(0, 60))}; a name is one word of at most 40 characters`;
  const bad = Object.entries(metrics).find(([, value]) => !isScore(value));
  return bad === undefined ? null : `metrics.${bad[0]} is not a number within ±${MAX_SCORE}`;
}

/** Says whether a checker's score is a number that can be averaged. */
export const isScore = (value: unknown): value is number =>
  typeof value === "number" && Math.abs(value) <= MAX_SCORE;
