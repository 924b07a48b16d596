/** Where a number may well lie: 95% of such intervals hold the true one. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A number with its 95% interval. */
export interface Estimate extends Interval {
  readonly value: number;
}
