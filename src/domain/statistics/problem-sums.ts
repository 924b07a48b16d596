import type { ProblemIndex } from "./problem-index.ts";

/** Whole numbers added up, and how many there were. */
export interface ProblemSum {
  readonly sum: number;
  readonly count: number;
}

/** Whole numbers added up problem by problem, in two plain numbers each. */
export class ProblemSums implements Iterable<readonly [problemId: string, ProblemSum]> {
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
