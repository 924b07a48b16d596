/** Holm's correction: p-values such that, of several looked at, a false alarm of any is as rare as of one. */
export function holmAdjusted(pValues: readonly number[]): number[] {
  const order = pValues.map((_, at) => at).sort((a, b) => (pValues[a] ?? 1) - (pValues[b] ?? 1));
  const adjusted = Array<number>(pValues.length).fill(1);
  let highest = 0;
  for (const [rank, at] of order.entries()) {
    highest = Math.max(highest, Math.min(1, (pValues.length - rank) * (pValues[at] ?? 1)));
    adjusted[at] = highest;
  }
  return adjusted;
}
