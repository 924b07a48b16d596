import { incompleteBeta } from "./incomplete-beta.ts";
import { invertCdf } from "./invert-cdf.ts";

/** The share of Student's t distribution with `df` degrees of freedom up to `t`. */
export function tCdf(t: number, df: number): number {
  const square = t * t;
  // Near 0 a small t would be lost beside df, far out a small tail beside 1.
  if (square < df) return 0.5 + (Math.sign(t) * incompleteBeta(square / (df + square), 0.5, df / 2)) / 2;
  const tail = incompleteBeta(df / (df + square), df / 2, 0.5) / 2;
  return t < 0 ? tail : 1 - tail;
}

/** By symmetry from the smaller tail, where digits are not lost beside 1. */
export function tQuantile(p: number, df: number): number {
  if (p > 0.5) return -tQuantile(1 - p, df);
  return p === 0.5 ? 0 : invertCdf((t) => tCdf(t, df), p);
}
