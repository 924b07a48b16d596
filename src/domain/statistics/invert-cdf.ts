/** The value up to which a continuous distribution has the share `p`, found by halving. */
export function invertCdf(cdf: (value: number) => number, p: number): number {
  if (p <= 0) return Number.NEGATIVE_INFINITY;
  if (p >= 1) return Number.POSITIVE_INFINITY;
  let low = -1;
  let high = 1;
  while (cdf(low) > p) low *= 2;
  while (cdf(high) < p) high *= 2;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (cdf(middle) < p) low = middle;
    else high = middle;
  }
}
