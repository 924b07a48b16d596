/** Computes how likely at most `k` of `n` tries succeed, when each does with probability `p`. */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incompleteBeta(1 - p, n - k, k + 1);
}

/** The share of Student's t distribution with `df` degrees of freedom up to `t`. */
export function tCdf(t: number, df: number): number {
  const square = t * t;
  // Near 0 a small t would be lost beside df, far out a small tail beside 1.
  if (square < df) return 0.5 + (Math.sign(t) * incompleteBeta(square / (df + square), 0.5, df / 2)) / 2;
  const tail = incompleteBeta(df / (df + square), df / 2, 0.5) / 2;
  return t < 0 ? tail : 1 - tail;
}

/** Computes Student's quantile, by symmetry from the smaller tail, where digits are not lost beside 1. */
export function tQuantile(p: number, df: number): number {
  if (p > 0.5) return -tQuantile(1 - p, df);
  return p === 0.5 ? 0 : invertCdf((t) => tCdf(t, df), p);
}

/** The share of a standard normal distribution up to `x`, by its series; right to about 1e-15. */
export function normalCdf(x: number): number {
  if (x < -FAR) return 0;
  if (x > FAR) return 1;
  let term = x;
  let sum = x;
  for (let odd = 3; sum + term !== sum; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

export const normalQuantile = (p: number): number => invertCdf(normalCdf, p);

/** From here on the tail is under 1e-16. */
const FAR = 8.3;

/** Half the width of a 95% interval, in standard errors. */
export const Z95 = normalQuantile(0.975);

/** The regularised incomplete beta function I_x(a, b), by its continued fraction; right to about 1e-12. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast only on this side of the peak.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const logFront = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(logFront) / a) * betaFraction(x, a, b);
}

const MOST_STEPS = 100_000;
const TINY = 1e-300;

/** Lentz's method, with Thompson and Barnett's guard against a zero in a denominator. */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / guarded(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MOST_STEPS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    const before = value;
    for (const step of [even, odd]) {
      d = 1 / guarded(1 + step * d);
      c = guarded(1 + step / c);
      value *= c * d;
    }
    if (Math.abs(value - before) <= 1e-16 * Math.abs(value)) break;
  }
  return value;
}

const guarded = (denominator: number): number => (Math.abs(denominator) < TINY ? TINY : denominator);

/** Lanczos' approximation with Godfrey's coefficients for g = 7; right to about 1e-15 of its value. */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const t = x + 6.5;
  const series = LANCZOS.reduce((sum, coefficient, at) => sum + coefficient / (x + at), 0.99999999999980993);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/** The value up to which a continuous distribution has the share `p`, found by halving. */
function invertCdf(cdf: (value: number) => number, p: number): number {
  if (p <= 0) return Number.NEGATIVE_INFINITY;
  if (p >= 1) return Number.POSITIVE_INFINITY;
  let low = -1;
  let high = 1;
  while (cdf(low) > p) low *= 2;
  while (cdf(high) < p) high *= 2;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (cdf(middle) < p) low = middle;
    else high = middle;
  }
}
