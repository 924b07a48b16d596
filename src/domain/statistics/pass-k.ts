/** How likely at least one of `k` of a problem's trials is right: the unbiased pass@k of Chen et al. (2021). */
export function passAtK({ hits, size }: Trials, k: number): number | null {
  const noneRight = allOf(size - hits, size, k);
  return noneRight === null ? null : 1 - noneRight;
}

/** How likely all of `k` of a problem's trials are right: pass^k of Yao et al. (2024). */
export const passHatK = ({ hits, size }: Trials, k: number): number | null => allOf(hits, size, k);

interface Trials {
  readonly hits: number;
  readonly size: number;
}

/** The share of the choices of `k` among `size` that fall into `part` alone; null when there is no such choice. */
function allOf(part: number, size: number, k: number): number | null {
  if (k > size) return null;
  let share = 1;
  for (let at = 0; at < k; at++) share *= Math.max(0, part - at) / (size - at);
  return share;
}
