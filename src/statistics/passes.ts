import type { Estimate } from "../domain/stats/estimate.ts";
import { COUNTED, type ModelOutcomes } from "./outcomes.ts";
import { type Cluster, clusteredShare, sumClusters } from "./shares.ts";

export interface Pass {
  readonly k: number;
  readonly passAtK: Estimate;
  readonly passHatK: Estimate;
  /** Those with the most runs; the same for every k. */
  readonly problems: number;
}

/** pass@k and pass^k for each k up to the most runs of a problem, all of them over the problems that have so many. */
export function passesOf(outcomes: ModelOutcomes): Pass[] {
  const counted = [...outcomes].map(([, counts]) => COUNTED.accuracy(counts));
  const most = counted.reduce((most, { size }) => Math.max(most, size), 0);
  if (most < 2) return [];
  // Sorted, so that their order changes no digit.
  const whole = counted.filter(({ size }) => size === most).sort((a, b) => a.hits - b.hits);
  return Array.from({ length: most }, (_, at) => {
    const k = at + 1;
    const [passAt, passHat] = [passAtK, passHatK].map((pass) =>
      clusteredShare(sumClusters(whole.map((problem) => ({ hits: pass(problem, k) ?? 0, size: 1 })))),
    );
    return passAt && passHat ? [{ k, passAtK: passAt, passHatK: passHat, problems: whole.length }] : [];
  }).flat();
}

/** Computes how likely at least one of `k` of a problem's trials is right: the unbiased pass@k of Chen et al. (2021). */
export function passAtK({ hits, size }: Cluster, k: number): number | null {
  const noneRight = allOf(size - hits, size, k);
  return noneRight === null ? null : 1 - noneRight;
}

/** Computes how likely all of `k` of a problem's trials are right: pass^k of Yao et al. (2024). */
export const passHatK = ({ hits, size }: Cluster, k: number): number | null => allOf(hits, size, k);

/** The share of the choices of `k` among `size` that fall into `part` alone; null when there is no such choice. */
function allOf(part: number, size: number, k: number): number | null {
  if (k > size) return null;
  let share = 1;
  for (let at = 0; at < k; at++) share *= Math.max(0, part - at) / (size - at);
  return share;
}
