/** Dollars; what is not known is never shown as $0, and a sum that misses some runs says so. */
export function formatCost(costUsd: number | null, runsWithUnknownCost = 0): string {
  if (costUsd === null) return "unknown";
  return `${runsWithUnknownCost > 0 ? "≥" : ""}${formatUsd(costUsd)}`;
}

function formatUsd(usd: number): string {
  if (usd === 0) return "$0";
  if (usd >= 1_000) return `$${Math.round(usd).toLocaleString("en-US")}`;
  if (usd >= 0.01) return `$${usd.toFixed(2)}`;
  if (usd < 1e-6) return "<$0.000001";
  // Two digits that mean something: $0.0031, $0.00012.
  const digits = Math.min(6, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(digits)}`;
}
