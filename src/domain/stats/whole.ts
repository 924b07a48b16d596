/**
 * The sum of two whole numbers from 0, up to the largest that is exact. What would be larger stays there, so that sums
 * are the same in any order, and every store can hold them.
 */
export const addWhole = (a: number, b: number): number => Math.min(Number.MAX_SAFE_INTEGER, a + b);

/** The nearest whole number from 0 that is exact. */
export const toWhole = (value: number): number =>
  Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, Math.round(value)));
