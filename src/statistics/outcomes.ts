import { type ModelKey, modelKey } from "../domain/model.ts";
import { type PlanSize, placeOfRun } from "../domain/plan.ts";
import type { Metrics } from "../domain/run/amounts.ts";
import { FAILURE_CAUSES, Fault, faultOf } from "../domain/run/failure.ts";
import { entryModelKey, type LogEntry } from "../domain/run/log-entry.ts";
import { VERDICT, type VerdictLetter, type VerdictRow, verdictOf } from "../domain/run/verdict.ts";
import type { Cluster } from "./shares.ts";

type CountedEntry = Pick<
  LogEntry,
  "providerKey" | "model" | "variant" | "problemId" | "tags" | "correct" | "failure" | "score" | "metrics"
>;

/** Results of every problem with every model, from entries or from rows of verdicts, in any order. */
export class Outcomes {
  readonly problems = new ProblemIndex();
  readonly #models = new Map<ModelKey, ModelTallies>();

  constructor(models: Iterable<ModelKey> = []) {
    this.expectModels(models);
  }

  /** These come first in every report, in this order, also those that never run. */
  expectModels(models: Iterable<ModelKey>): void {
    for (const key of models) this.#talliesOf(key);
  }

  get models(): ReadonlyMap<ModelKey, ModelTallies> {
    return this.#models;
  }

  /** Every run once, with the entry of its highest round. */
  addEntry(entry: CountedEntry): void {
    const ending = endingOf(verdictOf(entry));
    if (ending === null) return;
    const position = this.problems.number(entry.problemId, entry.tags);
    this.#talliesOf(entryModelKey(entry)).add(position, ending, entry.score, entry.metrics);
  }

  /** A part of the plan; scores and tags are not in it. */
  addRow(row: VerdictRow, size: PlanSize, problemIds: readonly string[]): void {
    for (let at = 0; at < row.verdicts.length; at++) {
      const ending = endingOf(row.verdicts.charAt(at));
      const place = ending === null ? null : placeOfRun(size, row.from + at);
      const id = place === null ? undefined : problemIds[place.problem];
      if (ending === null || place === null || id === undefined) continue;
      this.#talliesOf(modelKey(place.model)).add(this.problems.number(id), ending, null);
    }
  }

  #talliesOf(key: ModelKey): ModelTallies {
    const known = this.#models.get(key) ?? new ModelTallies(this.problems);
    this.#models.set(key, known);
    return known;
  }
}

/** The sum of a problem's scores in whole millionths, and of how many runs. */
export interface ProblemScore {
  readonly micros: number;
  readonly runs: number;
}

/** One model's runs per problem, in seven small numbers each, however many trials there are. */
export class ModelTallies implements ModelOutcomes {
  readonly #problems: ProblemIndex;
  #counts = new Uint32Array(0);
  readonly #scores = new ScoreSums();
  readonly #metrics = new Map<string, ScoreSums>();

  constructor(problems: ProblemIndex) {
    this.#problems = problems;
  }

  add(position: number, ending: Ending, score: number | null, metrics: Metrics = {}): void {
    this.#counts = withRoom(this.#counts, (position + 1) * ENDINGS.length);
    increase(this.#counts, position * ENDINGS.length + ENDINGS.indexOf(ending), 1);
    if (score !== null) this.#scores.add(position, score);
    for (const [name, value] of Object.entries(metrics)) this.#metric(name).add(position, value);
  }

  #metric(name: string): ScoreSums {
    const known = this.#metrics.get(name) ?? new ScoreSums();
    this.#metrics.set(name, known);
    return known;
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
  scores(): Iterable<ProblemScore> {
    return this.#scores;
  }

  /** The same of each further number that checkers gave, by name. */
  metrics(): ReadonlyMap<string, Iterable<ProblemScore>> {
    return new Map([...this.#metrics].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Read one by one: a list of them per problem is what a report over many pairs would spend its time on. */
  #at(position: number): ProblemCounts | undefined {
    const start = position * ENDINGS.length;
    const count = (ending: number): number => this.#counts[start + ending] ?? 0;
    const [correct, wrong, unscored] = [count(0), count(1), count(2)];
    const [model, code, infrastructure, stopped] = [count(3), count(4), count(5), count(6)];
    const isSeen = correct + wrong + unscored + model + code + infrastructure + stopped > 0;
    return isSeen ? { correct, wrong, unscored, model, code, infrastructure, stopped } : undefined;
  }
}

/** Sums of a number per problem; nothing until a run has one. */
class ScoreSums implements Iterable<ProblemScore> {
  /** Two numbers per problem. */
  #sums = new Float64Array(0);

  add(position: number, value: number): void {
    this.#sums = withRoom(this.#sums, (position + 1) * 2);
    increase(this.#sums, position * 2, Math.round(value * 1e6));
    increase(this.#sums, position * 2 + 1, 1);
  }

  *[Symbol.iterator](): Generator<ProblemScore> {
    for (let at = 0; at < this.#sums.length; at += 2) {
      const [micros = 0, runs = 0] = this.#sums.subarray(at, at + 2);
      if (runs > 0) yield { micros, runs };
    }
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

/** The problems of an evaluation by number, so that what is counted per problem fits into plain arrays. */
export class ProblemIndex {
  readonly #positions = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #tags = new Map<string, number[]>();

  /** The problem's number; the first time that it is seen, its tags are noted. */
  number(problemId: string, tags: readonly string[] = []): number {
    const known = this.#positions.get(problemId);
    if (known !== undefined) return known;
    const position = this.#ids.push(problemId) - 1;
    this.#positions.set(problemId, position);
    for (const tag of new Set(tags)) this.#tagged(tag).push(position);
    return position;
  }

  find(problemId: string): number | undefined {
    return this.#positions.get(problemId);
  }

  get ids(): readonly string[] {
    return this.#ids;
  }

  /** Every tag with the ids of its problems. */
  tags(): ReadonlyMap<string, readonly string[]> {
    const named = [...this.#tags].map(
      ([tag, positions]) => [tag, positions.flatMap((at) => this.#ids[at] ?? [])] as const,
    );
    return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #tagged(tag: string): number[] {
    const known = this.#tags.get(tag) ?? [];
    this.#tags.set(tag, known);
    return known;
  }
}

/** Results of every problem with one model; a plain `Map` from problem ids is one. */
export interface ModelOutcomes extends Iterable<readonly [problemId: string, ProblemCounts]> {
  get(problemId: string): ProblemCounts | undefined;
}

/** Numbers of runs of one problem with one model, by how they ended. */
export type ProblemCounts = Readonly<Record<Ending, number>>;

/** The endings that statistics tell apart; a failed run is known by whose fault it was. */
export const ENDINGS = ["correct", "wrong", "unscored", ...Fault.options] as const;
type Ending = (typeof ENDINGS)[number];

const ENDING_OF: ReadonlyMap<string, Ending> = new Map<string, Ending>([
  [VERDICT.correct, "correct"],
  [VERDICT.wrong, "wrong"],
  [VERDICT.unscored, "unscored"],
  ...FAILURE_CAUSES.map((cause) => [VERDICT[cause], faultOf(cause)] as const),
]);

/** null for a run that has not ended, or a character of a newer release. */
export const endingOf = (verdict: VerdictLetter | string): Ending | null => ENDING_OF.get(verdict) ?? null;

/** The three ways to count a problem's runs; the names are those of the accuracies in `ModelStats`. */
export const COUNTED = {
  accuracy: ({ correct, wrong, model }) => ({ hits: correct, size: correct + wrong + model }),
  accuracyOfScored: ({ correct, wrong }) => ({ hits: correct, size: correct + wrong }),
  accuracyOfAll: (counts) => ({
    hits: counts.correct,
    size: ENDINGS.reduce((sum, ending) => sum + counts[ending], 0),
  }),
} as const satisfies Record<string, (counts: ProblemCounts) => Cluster>;
