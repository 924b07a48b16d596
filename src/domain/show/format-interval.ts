import type { Estimate, Interval } from "../statistics/interval.ts";
import { formatShare } from "./format-share.ts";

/** `57–100`: an interval of shares in percent; one decimal where whole numbers would hide how narrow it is. */
export function formatInterval({ low, high }: Interval): string {
  const digits = high - low < 0.1 ? 1 : 0;
  return `${(low * 100).toFixed(digits)}–${(high * 100).toFixed(digits)}`;
}

/** `20.0% 4–62`: a share, and where it may well lie. */
export const formatEstimate = (estimate: Estimate | null): string =>
  estimate === null ? formatShare(null) : `${formatShare(estimate.value)} ${formatInterval(estimate)}`;

/** `+8.0` or `−8.0`: a difference of shares in points. */
export function formatPoints(difference: number): string {
  const points = Math.abs(difference * 100).toFixed(1);
  if (points === "0.0") return points;
  return `${difference < 0 ? "−" : "+"}${points}`;
}

/** `0.21`, `0.012`, `<0.001`: as many digits as matter. */
export function formatP(p: number): string {
  if (p < 0.001) return "<0.001";
  // What is 0.125 on paper may be a last bit less.
  return (p + 1e-12).toFixed(p < 0.1 ? 3 : 2);
}
