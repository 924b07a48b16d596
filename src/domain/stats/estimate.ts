import { formatShare } from "../format.ts";

/** A range that may well hold a number: 95% of such intervals hold the true one. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A number with its 95% interval. */
export interface Estimate extends Interval {
  readonly value: number;
}

/** `57–100`: an interval of shares in percent; one decimal where whole numbers would hide how narrow it is. */
export function formatInterval({ low, high }: Interval): string {
  const digits = high - low < 0.1 ? 1 : 0;
  return `${(low * 100).toFixed(digits)}–${(high * 100).toFixed(digits)}`;
}

/** `20.0% 4–62`: a share with its interval. */
export const formatEstimate = (estimate: Estimate | null): string =>
  estimate === null ? formatShare(null) : `${formatShare(estimate.value)} ${formatInterval(estimate)}`;
