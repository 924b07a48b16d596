import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Interval } from "../../src/domain/stats/estimate.ts";
import { pairedInterval, testedInterval } from "../../src/statistics/paired-intervals.ts";
import { countDifferences, mcnemarExact, signFlipTest } from "../../src/statistics/paired-tests.ts";
import { bitsBelow, type RandomBits, seededBits } from "../../src/statistics/random.ts";
import { bcaInterval } from "../../src/statistics/scores.ts";
import { type Cluster, clusteredShare } from "../../src/statistics/shares.ts";
import {
  alike,
  type Design,
  eachPair,
  eachSum,
  graded,
  holds,
  independent,
} from "../fixtures/statistics/exact-coverage.ts";

const DOCUMENT = join(import.meta.dirname, "../../docs/reference/statistics.md");
const SHARES = Array.from({ length: 19 }, (_, at) => (at + 1) / 20);
/** What is wrong mirrors what is right, so half of the shares say it all. */
const HALF = SHARES.slice(0, 10);

const mean = (items: readonly number[]): number => items.reduce((sum, item) => sum + item, 0) / items.length;
const mirrored = (covered: readonly number[]): number[] => [...covered, ...covered.slice(0, -1)];

/** For each share, how likely the interval holds it. */
type Coverage = readonly number[];

function ofAccuracy(problems: number, trials: number, designs: readonly Design[], shares = HALF): Coverage[] {
  const intervals = new Map<string, Interval>();
  const intervalOf = (hits: number, hitsSquared: number): Interval => {
    const key = `${hits}/${hitsSquared}`;
    const known = intervals.get(key) ?? clusteredShare(sumsOf(problems, trials, hits, hitsSquared));
    if (known === null) throw new Error("no run counts");
    intervals.set(key, known);
    return known;
  };
  return designs.map((design) =>
    shares.map((share) => {
      let covered = 0;
      eachSum(problems, design(trials, share), (hits, squares, chance) => {
        if (holds(intervalOf(hits, squares), share)) covered += chance;
      });
      return covered;
    }),
  );
}

const sumsOf = (clusters: number, trials: number, hits: number, hitsSquared: number) => ({
  ...{ clusters, hits, hitsSquared, size: clusters * trials },
  ...{ hitsTimesSize: hits * trials, sizeSquared: clusters * trials * trials },
});

/** The chances that a problem is won, and lost. */
type Rivals = (share: number) => readonly [number, number];
const HALF_AS_GOOD: Rivals = (share) => [share * (1 - share / 2), (1 - share) * (share / 2)];
const NEVER_BETTER: Rivals = (share) => [share / 2, 0];
const EQUALLY_GOOD: Rivals = (share) => [share * (1 - share), share * (1 - share)];
const RIVALS = [HALF_AS_GOOD, NEVER_BETTER, EQUALLY_GOOD];

function ofDifference(problems: number, rivals: readonly Rivals[]): Coverage[] {
  const intervals = new Map<string, Interval>();
  const intervalOf = (won: number, lost: number): Interval => {
    const key = `${won}/${lost}`;
    const known = intervals.get(key) ?? differenceOf(problems, won, lost);
    intervals.set(key, known);
    return known;
  };
  return rivals.map((chancesOf) =>
    SHARES.map((share) => {
      const chances = chancesOf(share);
      let covered = 0;
      eachPair(problems, chances, (won, lost, chance) => {
        if (holds(intervalOf(won, lost), chances[0] - chances[1])) covered += chance;
      });
      return covered;
    }),
  );
}

function differenceOf(problems: number, won: number, lost: number): Interval {
  const differences = new Map([
    [-1, lost],
    [0, problems - won - lost],
    [1, won],
  ]);
  return testedInterval({ differences, isSingleRun: true, pValue: mcnemarExact(won, lost) });
}

const unit = (bits: RandomBits): number => bits() / 2 ** 32;
const times = <Item>(count: number, make: () => Item): Item[] => Array.from({ length: count }, make);
const drawn = (draws: number, truth: number, draw: () => Interval): number =>
  times(draws, draw).filter((interval) => holds(interval, truth)).length / draws;

/** Half of the problems go one way in all their trials, the others trial by trial. */
function problem(share: number, trials: number, bits: RandomBits): Cluster {
  const right = () => (unit(bits) < share ? 1 : 0);
  if (unit(bits) < 0.5) return { hits: right() * trials, size: trials };
  return { hits: times(trials, right).reduce<number>((sum, each) => sum + each, 0), size: trials };
}

const drawDifferences = (problems: number, share: number, bits: RandomBits) =>
  countDifferences(times(problems, () => [problem(share, 3, bits), problem(share / 2, 3, bits)] as const));

/** Scores from 0 to 1: most of them low, evenly spread, high, and only 0 or 1. */
const SCORES: readonly (readonly [truth: number, draw: (bits: RandomBits) => number])[] = [
  ...[4, 2, 1, 0.5, 0.25].map(
    (power) => [1 / (power + 1), (bits: RandomBits) => unit(bits) ** power] as const,
  ),
  ...[0.2, 0.6].map((share) => [share, (bits: RandomBits) => (unit(bits) < share ? 1 : 0)] as const),
];

const TRIALS: readonly Design[] = [independent, graded(0.1), graded(0.5), alike(0.5)];

type Row = readonly [what: string, problems: number, trials: number, coverages: readonly Coverage[]];

function measured(): readonly Row[] {
  const counted = [30, 100].flatMap((problems) => {
    const [halfAsGood = [], neverBetter = [], equallyGood = []] = ofDifference(problems, RIVALS);
    return [
      ["accuracy", problems, 1, ofAccuracy(problems, 1, [independent]).map(mirrored)] as const,
      ...(problems === 30 ? [2, 3, 5] : [3]).map(
        (trials) =>
          ["accuracy", problems, trials, ofAccuracy(problems, trials, TRIALS).map(mirrored)] as const,
      ),
      ["difference", problems, 1, [halfAsGood, neverBetter]] as const,
      ["no difference", problems, 1, [equallyGood]] as const,
    ];
  });
  const simulated = [30, 100].flatMap((problems) => {
    const bits = seededBits(95);
    const difference = SHARES.map((share) =>
      drawn(1_000, share / 2, () => pairedInterval(drawDifferences(problems, share, bits), false)),
    );
    const score = SCORES.map(([truth, draw]) =>
      drawn(600, truth, () => {
        const items = times(problems, () => draw(bits));
        return bcaInterval({ items, statistic: mean, bits, resamples: 500 });
      }),
    );
    return [
      ["difference", problems, 3, [difference]] as const,
      ["mean score", problems, 1, [score]] as const,
    ];
  });
  return [...counted, ...simulated];
}

const percent = (share: number): string => (share * 100).toFixed(1);
const rangeOf = (means: readonly number[]): string => {
  const ends = [percent(Math.min(...means)), percent(Math.max(...means))];
  return `${[...new Set(ends)].join("–")}%`;
};

test("95% intervals hold the truth in 95% of all cases, as the document says", { timeout: 900_000 }, () => {
  const rows = measured().map(([what, problems, trials, coverages]) => {
    const means = coverages.map(mean);
    // Where there is no difference, an interval is wrong as rarely as the exact test is.
    const isBand = what !== "no difference";
    for (const each of means) if (isBand) expect(Math.abs(each - 0.95)).toBeLessThanOrEqual(0.015);
    const lowest = `${percent(Math.min(...coverages.flat()))}%`;
    return ["", what, problems, trials, rangeOf(means), lowest, ""].join(" | ").trim();
  });
  const told = readFileSync(DOCUMENT, "utf8")
    .split("\n")
    .filter((line) => /^\| [a-z ]+\| \d/.test(line))
    .map((line) => line.replaceAll(/ +/g, " "));
  expect(told).toEqual(rows);
});

test("so do they for shares, trials and problems that nothing was chosen by", { timeout: 900_000 }, () => {
  const designs = [independent, graded(0.05), graded(0.45), alike(0.3), alike(0.95)];
  const shares = Array.from({ length: 9 }, (_, at) => 0.075 + at / 20);
  for (const [problems, trials] of [
    [45, 4],
    [33, 6],
  ] as const) {
    for (const covered of ofAccuracy(problems, trials, designs, shares)) {
      expect(Math.abs(mean(covered) - 0.95)).toBeLessThanOrEqual(0.015);
    }
  }
});

test("and where nearly all problems go the same way in all of many trials, at every share", () => {
  const lowest = Math.min(...ofAccuracy(30, 8, [alike(0.95)]).flat());
  expect(percent(lowest)).toBe("94.8");
});

test("also where the sign-flip test has the last word on 0", { timeout: 900_000 }, () => {
  const bits = seededBits(2_026);
  const covered = [0.2, 0.5, 0.8].map((share) =>
    drawn(300, share / 2, () => {
      const differences = drawDifferences(30 + bitsBelow(bits, 3), share, bits);
      const pValue = signFlipTest(differences, seededBits(20));
      return testedInterval({ differences, isSingleRun: false, pValue });
    }),
  );
  expect(Math.abs(mean(covered) - 0.95)).toBeLessThanOrEqual(0.015);
});
