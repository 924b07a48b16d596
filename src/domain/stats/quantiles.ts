/** The smallest value that at least each share of all reach, of values that are kept as counts. */
export function countedQuantiles<const Parts extends readonly number[]>(
  counts: ReadonlyMap<number, number>,
  parts: Parts,
): { [At in keyof Parts]: number | null } {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, times]) => sum + times, 0);
  const at = (part: number): number | null => {
    let left = Math.max(1, Math.ceil(part * total));
    for (const [value, times] of sorted) {
      left -= times;
      if (left <= 0) return value;
    }
    return null;
  };
  return parts.map(at) as { [At in keyof Parts]: number | null };
}
