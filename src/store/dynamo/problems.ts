import * as z from "zod";
import { type EvaluationId, ProblemId } from "../../domain/ids.ts";
import type { PlanSize, RunSpan } from "../../domain/plan.ts";
import type { Problem } from "../../domain/problem.ts";
import { problemFromText, problemToText, readStored } from "../stored.ts";
import type { S3Texts } from "./bodies.ts";
import { type DynamoItems, type Item, itemOf, text } from "./items.ts";
import { chunkKey, chunkKeys, chunkOf, PROBLEMS_PER_CHUNK, problemObject } from "./keys.ts";

/** A chunk of the largest problems is 128 KB, of the 400 KB that an item may have. */
const MAX_BYTES_IN_CHUNK = 8_192;
const WRITES_AT_ONCE = 8;
const MOST_CHUNKS = 32;

/** Parts of an evaluation that never change. */
export interface Manifest extends PlanSize {
  readonly id: EvaluationId;
  readonly problemSet: string;
}

type Chunk = readonly string[];

/** What stands in a chunk for a problem that is an object of its own. */
const ProblemInBucket = z.object({ id: ProblemId, object: z.string() });
const IN_BUCKET = '{"object":';

/** The problems of an evaluation in small chunks, found by position: a runner reads little to get one. */
export class DynamoProblems {
  readonly #items: DynamoItems;
  readonly #texts: S3Texts;
  readonly #chunks = new Recent<Chunk>(MOST_CHUNKS);

  constructor(items: DynamoItems, texts: S3Texts) {
    this.#items = items;
    this.#texts = texts;
  }

  async create(id: EvaluationId, set: string, problems: Iterable<Problem>): Promise<void> {
    let first = 0;
    for (const chunks of inGroups(inGroups(problems, PROBLEMS_PER_CHUNK), WRITES_AT_ONCE)) {
      await Promise.all(chunks.map((some, number) => this.#writeChunk(id, set, first + number, some)));
      first += chunks.length;
    }
  }

  async *read(manifest: Manifest, span: RunSpan): AsyncGenerator<Problem> {
    const { from, to } = { from: span.from, to: Math.min(span.to, manifest.problemCount) };
    if (from >= to) return;
    if (chunkOf(from) === chunkOf(to - 1)) {
      for (let position = from; position < to; position++) yield await this.at(manifest, position);
      return;
    }
    let position = chunkOf(from) * PROBLEMS_PER_CHUNK;
    for (const keys of chunkKeys(manifest.id, manifest.problemSet, { from, to })) {
      for await (const item of this.#items.span(keys)) {
        for (const stored of readChunk(item)) {
          if (position >= from && position < to) yield await this.#readProblem(manifest, position, stored);
          position++;
        }
      }
    }
  }

  async at(manifest: Manifest, position: number): Promise<Problem> {
    const chunk = await this.#chunk(manifest, chunkOf(position));
    return this.#readProblem(manifest, position, chunk[position % PROBLEMS_PER_CHUNK]);
  }

  /** The id alone, without reading a problem that is an object of its own. */
  async idAt(manifest: Manifest, position: number): Promise<ProblemId> {
    const stored = (await this.#chunk(manifest, chunkOf(position)))[position % PROBLEMS_PER_CHUNK];
    const what = `Problem ${position} of ${manifest.id}`;
    return stored?.startsWith(IN_BUCKET)
      ? readStored(ProblemInBucket, stored, what).id
      : problemFromText(stored, what).id;
  }

  async #writeChunk(id: EvaluationId, set: string, chunk: number, some: readonly Problem[]): Promise<void> {
    const texts = await Promise.all(some.map((problem) => this.#keep(id, problem)));
    const item = itemOf("problems", { problems: { L: texts.map(text) } });
    await this.#items.put(chunkKey(id, set, chunk), item);
  }

  async #keep(id: EvaluationId, problem: Problem): Promise<string> {
    const whole = problemToText(problem);
    if (Buffer.byteLength(whole) <= MAX_BYTES_IN_CHUNK) return whole;
    const object = problemObject(id, whole);
    await this.#texts.write(object, whole);
    return JSON.stringify({ object, id: problem.id });
  }

  async #chunk({ id, problemSet }: Manifest, chunk: number): Promise<Chunk> {
    const name = `${id}#${problemSet}#${chunk}`;
    const known = this.#chunks.get(name);
    if (known !== undefined) return known;
    const item = await this.#items.get(chunkKey(id, problemSet, chunk));
    const read = item === null ? [] : readChunk(item);
    if (item !== null) this.#chunks.set(name, read);
    return read;
  }

  async #readProblem({ id }: Manifest, position: number, stored: string | undefined): Promise<Problem> {
    const what = `Problem ${position} of ${id}`;
    if (!stored?.startsWith(IN_BUCKET)) return problemFromText(stored, what);
    const { object } = readStored(ProblemInBucket, stored, what);
    return problemFromText(
      (await this.#texts.read(object)) ?? undefined,
      `${what} in ${this.#texts.placeOf(object)}`,
    );
  }
}

const readChunk = (item: Item): Chunk => item.problems?.L?.map(({ S }) => S ?? "") ?? [];

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Keeps the few values that were asked for last; what is kept must never change. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.#keep(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#keep(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#most && oldest !== undefined) this.#values.delete(oldest);
  }

  #keep(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
  }
}
