import type { Cluster } from "./cluster-sums.ts";
import type { ModelOutcomes } from "./model-outcomes.ts";
import { passAtK, passHatK } from "./pass-k.ts";
import { COUNTED } from "./problem-counts.ts";

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
