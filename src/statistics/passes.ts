import { COUNTED, type ModelOutcomes } from "./outcomes.ts";
import type { Cluster } from "./shares.ts";

export interface Pass {
  readonly k: number;
  readonly passAtK: number;
  readonly passHatK: number;
}

/** pass@k and pass^k for each k up to the most runs of a problem, over the problems that have as many. */
export function passesOf(outcomes: ModelOutcomes): Pass[] {
  const shapes = countShapes(outcomes);
  const most = Math.max(0, ...shapes.map(({ size }) => size));
  if (most < 2) return [];
  return Array.from({ length: most }, (_, at) => {
    const enough = shapes.filter(({ size }) => size > at);
    const problems = enough.reduce((sum, { count }) => sum + count, 0);
    const mean = (pass: typeof passAtK) =>
      enough.reduce((sum, shape) => sum + shape.count * (pass(shape, at + 1) ?? 0), 0) / problems;
    return { k: at + 1, passAtK: mean(passAtK), passHatK: mean(passHatK) };
  });
}

/** Problems with as many right of as many runs are alike; sorted, so that their order changes no digit. */
function countShapes(outcomes: ModelOutcomes): (Cluster & { readonly count: number })[] {
  const shapes = new Map<string, Cluster & { readonly count: number }>();
  for (const [, counts] of outcomes) {
    const { hits, size } = COUNTED.accuracy(counts);
    const key = `${hits}/${size}`;
    shapes.set(key, { hits, size, count: (shapes.get(key)?.count ?? 0) + 1 });
  }
  return [...shapes.values()].sort((a, b) => a.size - b.size || a.hits - b.hits);
}

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
