import { type ModelKey, modelKey } from "../domain/model.ts";
import { type PlanSize, placeOfRun } from "../domain/plan.ts";
import { entryModelKey, type LogEntry } from "../domain/run/log-entry.ts";
import type { VerdictRow } from "../domain/run/verdict.ts";
import type { DriftFinding } from "../domain/stats/drift.ts";
import { type EffortRow, effortOf } from "../domain/stats/shard-stats.ts";
import { compareModels } from "./compare.ts";
import { type Fraction, subtract, toNumber } from "./fraction.ts";
import { Outcomes, type ProblemIndex } from "./outcomes.ts";
import { holmAdjusted, LEVEL, signFlipTest } from "./paired-tests.ts";
import { seededBits } from "./random.ts";

/** A smaller rise is not reported, however sure it is: by share, and of the mean run in what the measure is counted in. */
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

type SampledEntry = Parameters<Outcomes["addEntry"]>[0] & Pick<LogEntry, "costUsd" | "runtimeSeconds">;

/** Results of one execution, or of several taken together, for every model: right answers, cost and runtime per problem. */
export class DriftSample {
  readonly outcomes = new Outcomes();
  readonly #costs = new Map<ModelKey, ProblemSums>();
  readonly #runtimes = new Map<ModelKey, ProblemSums>();

  addEntry(entry: SampledEntry): void {
    this.outcomes.addEntry(entry);
    const { runtimeMs, costNanoUsd } = effortOf(entry);
    this.#add(entryModelKey(entry), entry.problemId, runtimeMs, costNanoUsd);
  }

  /** A part of the plan; it says what its entries say. */
  addRow(row: VerdictRow, efforts: EffortRow, size: PlanSize, problemIds: readonly string[]): void {
    this.outcomes.addRow(row, size, problemIds);
    for (const [at, runtimeMs] of efforts.runtimesMs.entries()) {
      const place = runtimeMs === null ? null : placeOfRun(size, row.from + at);
      const id = place === null ? undefined : problemIds[place.problem];
      if (place === null || id === undefined) continue;
      this.#add(modelKey(place.model), id, runtimeMs, efforts.costsNanoUsd[at] ?? null);
    }
  }

  /** In nano-dollars; runs of unknown cost are not part of it. */
  costs(model: ModelKey): ProblemSums {
    return this.#sumsOf(this.#costs, model);
  }

  /** In milliseconds. */
  runtimes(model: ModelKey): ProblemSums {
    return this.#sumsOf(this.#runtimes, model);
  }

  #add(model: ModelKey, problemId: string, runtimeMs: number | null, costNanoUsd: number | null): void {
    const position = this.outcomes.problems.number(problemId);
    if (runtimeMs !== null) this.runtimes(model).add(position, runtimeMs);
    if (costNanoUsd !== null) this.costs(model).add(position, costNanoUsd);
  }

  #sumsOf(models: Map<ModelKey, ProblemSums>, model: ModelKey): ProblemSums {
    const known = models.get(model) ?? new ProblemSums(this.outcomes.problems);
    models.set(model, known);
    return known;
  }
}

/** Whole numbers added up, and how many there were. */
interface ProblemSum {
  readonly sum: number;
  readonly count: number;
}

/** Whole numbers added up problem by problem, in two plain numbers each. */
class ProblemSums implements Iterable<readonly [problemId: string, ProblemSum]> {
  readonly #problems: ProblemIndex;
  #numbers = new Float64Array(0);

  constructor(problems: ProblemIndex) {
    this.#problems = problems;
  }

  add(position: number, value: number): void {
    if (this.#numbers.length < (position + 1) * 2) {
      const wider = new Float64Array((position + 1) * 4);
      wider.set(this.#numbers);
      this.#numbers = wider;
    }
    this.#numbers[position * 2] = this.#at(position).sum + value;
    this.#numbers[position * 2 + 1] = this.#at(position).count + 1;
  }

  get(problemId: string): ProblemSum | undefined {
    const position = this.#problems.find(problemId);
    const known = position === undefined ? undefined : this.#at(position);
    return known === undefined || known.count === 0 ? undefined : known;
  }

  *[Symbol.iterator](): Generator<readonly [string, ProblemSum]> {
    for (const [position, id] of this.#problems.ids.entries()) {
      const known = this.#at(position);
      if (known.count > 0) yield [id, known];
    }
  }

  #at(position: number): ProblemSum {
    return { sum: this.#numbers[position * 2] ?? 0, count: this.#numbers[position * 2 + 1] ?? 0 };
  }
}
