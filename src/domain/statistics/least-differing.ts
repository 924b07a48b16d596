/** How many problems must differ, all of them one way, before an exact paired test says more than chance. */
export function leastDiffering(level: number): number {
  let problems = 1;
  // Of all ways to flip so many signs, two are as one-sided.
  while (2 / 2 ** problems >= level) problems++;
  return problems;
}
