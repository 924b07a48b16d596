import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bcaInterval } from "../../../src/domain/statistics/bca-interval.ts";
import { type Cluster, sumClusters } from "../../../src/domain/statistics/cluster-sums.ts";
import { clusteredShare } from "../../../src/domain/statistics/clustered-share.ts";
import type { Interval } from "../../../src/domain/statistics/interval.ts";
import { countDifferences } from "../../../src/domain/statistics/paired-differences.ts";
import { pairedInterval } from "../../../src/domain/statistics/paired-interval.ts";
import { type RandomBits, seededBits } from "../../../src/domain/statistics/seeded-bits.ts";

const DOCUMENT = join(import.meta.dirname, "../../../src/domain/statistics/STATISTICS.md");
const SHARES = Array.from({ length: 19 }, (_, at) => (at + 1) / 20);
const unit = (bits: RandomBits): number => bits() / 2 ** 32;
const times = <Item>(count: number, make: () => Item): Item[] => Array.from({ length: count }, make);

/** A true value, and a way to draw an interval for it. */
interface Setting {
  readonly truth: number;
  readonly draw: () => Interval | null;
}

function coverageOf({ truth, draw }: Setting, draws: number): number {
  const held = times(draws, draw).filter((each) => each !== null && each.low <= truth && truth <= each.high);
  return held.length / draws;
}

/** Half of the problems go one way in all their trials, the others trial by trial. */
function problem(share: number, trials: number, bits: RandomBits): Cluster {
  const right = () => (unit(bits) < share ? 1 : 0);
  if (unit(bits) < 0.5) return { hits: right() * trials, size: trials };
  return { hits: times(trials, right).reduce<number>((sum, each) => sum + each, 0), size: trials };
}

const accuracies = (problems: number, trials: number, bits: RandomBits): Setting[] =>
  SHARES.map((truth) => ({
    truth,
    draw: () => clusteredShare(sumClusters(times(problems, () => problem(truth, trials, bits)))),
  }));

/** One model is as good as the share, the other half as good as that. */
const differences = (problems: number, trials: number, bits: RandomBits): Setting[] =>
  SHARES.map((share) => ({
    truth: share / 2,
    draw: () => {
      const pairs = times(
        problems,
        () => [problem(share, trials, bits), problem(share / 2, trials, bits)] as const,
      );
      return pairedInterval(countDifferences(pairs), trials === 1);
    },
  }));

const mean = (items: readonly number[]): number => items.reduce((sum, item) => sum + item, 0) / items.length;

/** Scores from 0 to 1, most of them low, evenly spread, or high. */
const scores = (problems: number, _trials: number, bits: RandomBits): Setting[] =>
  [4, 2, 1, 0.5, 0.25].map((power) => ({
    truth: 1 / (power + 1),
    draw: () =>
      bcaInterval({
        items: times(problems, () => unit(bits) ** power),
        statistic: mean,
        bits,
        resamples: 500,
      }),
  }));

const ROWS = [
  ["accuracy", accuracies, 1, 1_000],
  ["accuracy", accuracies, 3, 400],
  ["accuracy", accuracies, 5, 400],
  ["difference", differences, 1, 1_000],
  ["difference", differences, 3, 400],
  ["mean score", scores, 1, 400],
] as const;

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

test("95% intervals hold the truth in 95% of all cases, as the document says", { timeout: 120_000 }, () => {
  const measured = ROWS.flatMap(([what, settings, trials, draws]) =>
    [30, 100].map((problems) => {
      const covered = settings(problems, trials, seededBits(95)).map((each) => coverageOf(each, draws));
      return { row: [what, problems, trials], average: mean(covered), lowest: Math.min(...covered) };
    }),
  );
  const told = readFileSync(DOCUMENT, "utf8")
    .split("\n")
    .filter((line) => /^\| [a-z ]+\| \d/.test(line))
    .map((line) => line.replaceAll(/ +/g, " "));
  expect(told).toEqual(
    measured.map(({ row, average, lowest }) =>
      ["", ...row, percent(average), percent(lowest), ""].join(" | ").trim(),
    ),
  );
  for (const { average } of measured) expect(Math.abs(average - 0.95)).toBeLessThanOrEqual(0.015);
});
