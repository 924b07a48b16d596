import { binomialCdf } from "./binomial.ts";

/** McNemar's exact two-sided p-value: `b` problems went one way only, `c` the other way only. Never 0. */
export const mcnemarExact = (b: number, c: number): number =>
  Math.max(Number.MIN_VALUE, Math.min(1, 2 * binomialCdf(Math.min(b, c), b + c, 0.5)));
