import { incompleteBeta } from "./incomplete-beta.ts";

/** How likely at most `k` of `n` tries succeed, when each does with probability `p`. */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incompleteBeta(1 - p, n - k, k + 1);
}
