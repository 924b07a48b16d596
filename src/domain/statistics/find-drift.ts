import type { DriftFinding } from "../drift.ts";
import type { ModelKey } from "../model.ts";
import { compareModels } from "./compare-models.ts";
import type { DriftSample } from "./drift-sample.ts";
import { type Fraction, subtract, toNumber } from "./fraction.ts";
import { holmAdjusted } from "./holm.ts";
import { LEVEL } from "./level.ts";
import type { ProblemSum, ProblemSums } from "./problem-sums.ts";
import { seededBits } from "./seeded-bits.ts";
import { signFlipTest } from "./sign-flip.ts";

/** A smaller rise is no news, however sure it is: by share, and of the mean run in what the measure is counted in. */
const LEAST_RISE = 0.1;
const LEAST_RISE_OF = { cost: 0, runtime: 250 } as const;
/** A rise by just as much, on paper, may fall short by such a part of it. */
const ROUNDING = 1e-9;
const SEED = 20;

type Tested = Omit<DriftFinding, "adjustedP"> & { readonly pValue: number; readonly isWorse: boolean };

/** Every model's accuracy, cost and runtime against before, on the problems that both have; only what got worse for sure. */
export function findDrift(now: DriftSample, before: DriftSample): DriftFinding[] {
  const models = [...now.outcomes.models.keys()];
  const tested = models.flatMap((model) => [
    ...testAccuracy(model, now, before),
    ...testRise(model, "cost", now.costs(model), before.costs(model)),
    ...testRise(model, "runtime", now.runtimes(model), before.runtimes(model)),
  ]);
  const adjusted = holmAdjusted(tested.map(({ pValue }) => pValue));
  return tested.flatMap(({ isWorse, pValue: _p, ...finding }, at) => {
    const adjustedP = adjusted[at] ?? 1;
    return isWorse && adjustedP < LEVEL ? [{ ...finding, adjustedP }] : [];
  });
}

function testAccuracy(model: ModelKey, now: DriftSample, before: DriftSample): Tested[] {
  const [mine, theirs] = [now.outcomes.models.get(model), before.outcomes.models.get(model)];
  if (mine === undefined || theirs === undefined) return [];
  const { difference, pValue, pairedProblems: problems } = compareModels(mine, theirs);
  if (difference === null) return [];
  return [{ model, measure: "accuracy", change: difference, problems, pValue, isWorse: difference < 0 }];
}

function testRise(
  model: ModelKey,
  measure: "cost" | "runtime",
  now: ProblemSums,
  before: ProblemSums,
): Tested[] {
  const differences: (readonly [Fraction, problems: 1])[] = [];
  let [total, totalBefore] = [0, 0];
  for (const [problem, mine] of now) {
    const theirs = before.get(problem);
    if (theirs === undefined) continue;
    const difference = subtract(meanOf(mine), meanOf(theirs));
    differences.push([difference, 1]);
    total += toNumber(difference);
    totalBefore += theirs.sum / theirs.count;
  }
  // What was free has no share by which it could rise.
  if (totalBefore === 0) return [];
  const change = total / totalBefore;
  const problems = differences.length;
  const isWorse = change >= LEAST_RISE * (1 - ROUNDING) && total / problems >= LEAST_RISE_OF[measure];
  const pValue = signFlipTest(differences, seededBits(SEED));
  return [{ model, measure, change, problems, pValue, isWorse }];
}

const meanOf = ({ sum, count }: ProblemSum): Fraction => ({ over: BigInt(sum), under: BigInt(count) });
