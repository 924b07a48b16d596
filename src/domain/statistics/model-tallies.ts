import type { ModelOutcomes } from "./model-outcomes.ts";
import { ENDINGS, type Ending, type ProblemCounts } from "./problem-counts.ts";
import type { ProblemIndex } from "./problem-index.ts";

/** The sum of a problem's scores in whole millionths, and of how many runs. */
export interface ProblemScore {
  readonly micros: number;
  readonly runs: number;
}

/** One model's runs per problem, in six small numbers each, however many trials there are. */
export class ModelTallies implements ModelOutcomes {
  readonly #problems: ProblemIndex;
  #counts = new Uint32Array(0);
  /** Two numbers per problem; nothing until a run has a score. */
  #scores = new Float64Array(0);

  constructor(problems: ProblemIndex) {
    this.#problems = problems;
  }

  add(position: number, ending: Ending, score: number | null): void {
    this.#counts = withRoom(this.#counts, (position + 1) * ENDINGS.length);
    increase(this.#counts, position * ENDINGS.length + ENDINGS.indexOf(ending), 1);
    if (score === null) return;
    this.#scores = withRoom(this.#scores, (position + 1) * 2);
    increase(this.#scores, position * 2, Math.round(score * 1e6));
    increase(this.#scores, position * 2 + 1, 1);
  }

  get(problemId: string): ProblemCounts | undefined {
    const position = this.#problems.find(problemId);
    return position === undefined ? undefined : this.#at(position);
  }

  *[Symbol.iterator](): Generator<readonly [string, ProblemCounts]> {
    for (const [position, id] of this.#problems.ids.entries()) {
      const counts = this.#at(position);
      if (counts !== undefined) yield [id, counts];
    }
  }

  /** Of every problem that has a score. */
  *scores(): Generator<ProblemScore> {
    for (let at = 0; at < this.#scores.length; at += 2) {
      const [micros = 0, runs = 0] = this.#scores.subarray(at, at + 2);
      if (runs > 0) yield { micros, runs };
    }
  }

  /** Read one by one: a list of them per problem is what a report over many pairs would spend its time on. */
  #at(position: number): ProblemCounts | undefined {
    const start = position * ENDINGS.length;
    const count = (ending: number): number => this.#counts[start + ending] ?? 0;
    const [correct, wrong, unscored] = [count(0), count(1), count(2)];
    const [model, infrastructure, stopped] = [count(3), count(4), count(5)];
    const isSeen = correct + wrong + unscored + model + infrastructure + stopped > 0;
    return isSeen ? { correct, wrong, unscored, model, infrastructure, stopped } : undefined;
  }
}

function increase(numbers: Uint32Array | Float64Array, at: number, by: number): void {
  numbers[at] = (numbers[at] ?? 0) + by;
}

function withRoom<Numbers extends Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(
  numbers: Numbers,
  length: number,
): Numbers {
  if (numbers.length >= length) return numbers;
  const wider = numbers instanceof Uint32Array ? new Uint32Array(length * 2) : new Float64Array(length * 2);
  wider.set(numbers);
  return wider as Numbers;
}
