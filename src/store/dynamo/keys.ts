import type { EvaluationId, RunId } from "../../domain/ids.ts";
import type { RunSpan } from "../../domain/plan.ts";
import { sha256 } from "../../system/digest.ts";
import type { EvaluationPlace } from "../readers.ts";
import { bodyKey } from "../stored.ts";

/*
 * Every key of the table, and what is kept there:
 *
 *   evaluation#<id>                        record | cancel#<round> | range#<round>#<from>#<to> | shard#<shard>
 *   evaluation#<id>#problems#<set>#<part>  <chunk>
 *   evaluation#<id>#runs#<block>           <index>#<round>
 *   evaluation#<id>#progress#<bucket>      <round>#<block>
 *   evaluation#<id>#spend                  spend
 *   evaluation#<id>#spend#<1 to 15>        spend
 *   request#<hash of the key>              claim
 *   limiter#<hash of the provider's key>   limit
 *
 *   gsi1  evaluations                      <start>#<id>
 *   gsi2  name#<hash of the name>          <start>#<id>
 *   gsi2  run#<id>#<run id>                <round>
 *
 *   bucket  bodies/<id>/<2 digits>/<run id>.<round>.<digest>.json
 *   bucket  problems/<id>/<digest>.json    those too large for a chunk
 *
 * Numbers are padded, so that they sort. Texts that users choose are hashed: a key holds no #, no surrogate and
 * never too much. A partition takes 1,000 writes a second; 500 runs share one, and their progress another.
 */

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** All keys of a partition from the first up to the last, both included. */
export interface KeySpan {
  readonly pk: string;
  readonly first: string;
  readonly last: string;
}

const RUNS_PER_BLOCK = 500;
export const PROBLEMS_PER_CHUNK = 16;
const CHUNKS_PER_PART = 64;
const PROGRESS_BUCKETS = 16;
const SPEND_ITEMS = 16;

const evaluation = (id: EvaluationId): string => `evaluation#${id}`;
const pad = (number: number, digits: number): string => String(number).padStart(digits, "0");
const padRound = (round: number): string => pad(round, 6);
const padRun = (index: number): string => pad(index, 9);
// As JSON, because two lone surrogates are the same bytes to a hash.
const hash = (text: string): string => sha256(JSON.stringify(text));
const under = (pk: string, prefix: string): KeySpan => ({ pk, first: prefix, last: `${prefix}~` });

export const recordKey = (id: EvaluationId): Key => ({ pk: evaluation(id), sk: "record" });

export const cancelKey = (id: EvaluationId, round: number): Key => ({
  pk: evaluation(id),
  sk: `cancel#${padRound(round)}`,
});

export const rangeKey = (id: EvaluationId, round: number, { from, to }: RunSpan): Key => ({
  pk: evaluation(id),
  sk: `range#${padRound(round)}#${padRun(from)}#${padRun(to)}`,
});
export const rangeKeys = (id: EvaluationId): KeySpan => under(evaluation(id), "range#");

export const shardKey = (id: EvaluationId, shard: number): Key => ({
  pk: evaluation(id),
  sk: `shard#${padRun(shard)}`,
});
export const shardKeys = (id: EvaluationId): KeySpan => under(evaluation(id), "shard#");

/** Each try to create an evaluation writes a set of its own, so that a loser never touches the winner's. */
export const problemSet = (record: string): string => hash(record).slice(0, 12);

export const chunkKey = (id: EvaluationId, set: string, chunk: number): Key => ({
  pk: `${evaluation(id)}#problems#${set}#${Math.floor(chunk / CHUNKS_PER_PART)}`,
  sk: padRun(chunk),
});
export const chunkOf = (position: number): number => Math.floor(position / PROBLEMS_PER_CHUNK);

/** The chunks of a span of positions, partition by partition. */
export function* chunkKeys(id: EvaluationId, set: string, { from, to }: RunSpan): Generator<KeySpan> {
  const last = chunkOf(to - 1);
  for (let chunk = chunkOf(from); chunk <= last; ) {
    const end = Math.min((Math.floor(chunk / CHUNKS_PER_PART) + 1) * CHUNKS_PER_PART - 1, last);
    const { pk, sk } = chunkKey(id, set, chunk);
    yield { pk, first: sk, last: padRun(end) };
    chunk = end + 1;
  }
}

const blockOf = (index: number): number => Math.floor(index / RUNS_PER_BLOCK);

export const entryKey = (id: EvaluationId, index: number, round: number): Key => ({
  pk: `${evaluation(id)}#runs#${blockOf(index)}`,
  sk: `${padRun(index)}#${padRound(round)}`,
});
export const indexOfEntry = (sk: string): number => Number(sk.split("#")[0]);
export const roundOfEntry = (sk: string): number => Number(sk.split("#")[1]);

/** The entries of a span of runs, in every round, partition by partition. */
export function* entryKeys(id: EvaluationId, { from, to }: RunSpan): Generator<KeySpan> {
  for (let index = from; index < to; index = (blockOf(index) + 1) * RUNS_PER_BLOCK) {
    const end = Math.min((blockOf(index) + 1) * RUNS_PER_BLOCK, to);
    const { pk } = entryKey(id, index, 1);
    yield { pk, first: padRun(index), last: `${padRun(end - 1)}#~` };
  }
}

export const progressKey = (id: EvaluationId, index: number, round: number): Key => ({
  pk: `${evaluation(id)}#progress#${blockOf(index) % PROGRESS_BUCKETS}`,
  sk: `${padRound(round)}#${padRun(blockOf(index))}`,
});

/** The counts of a round, bucket by bucket; a small plan has few of them. */
export function* progressKeys(id: EvaluationId, round: number, plannedRuns: number): Generator<KeySpan> {
  const buckets = Math.min(PROGRESS_BUCKETS, Math.ceil(plannedRuns / RUNS_PER_BLOCK));
  for (let bucket = 0; bucket < buckets; bucket++) {
    yield under(`${evaluation(id)}#progress#${bucket}`, `${padRound(round)}#`);
  }
}

/** Key of the item that counts a run's spending; neighbours, which end together, each somewhere else. */
export const spendKey = (id: EvaluationId, run: number): Key => spendItem(id, run % SPEND_ITEMS);
export const spendKeys = (id: EvaluationId): Key[] =>
  Array.from({ length: SPEND_ITEMS }, (_, item) => spendItem(id, item));

/** A partition each. The first is the only one that an earlier release had. */
const spendItem = (id: EvaluationId, item: number): Key => ({
  pk: `${evaluation(id)}#spend${item === 0 ? "" : `#${item}`}`,
  sk: "spend",
});

export const claimKey = (key: string): Key => ({ pk: `request#${hash(key)}`, sk: "claim" });

export const limiterKey = (providerKey: string): Key => ({ pk: `limiter#${hash(providerKey)}`, sk: "limit" });

export const evaluationsIndex = "evaluations";
export const nameIndex = (name: string): string => `name#${hash(name)}`;
export const placeIndex = ({ startedMs, id }: EvaluationPlace): string => `${pad(startedMs, 15)}#${id}`;

export const runIndex = (id: EvaluationId, runId: RunId): string => `run#${id}#${runId}`;
export const roundIndex = (round: number): string => padRound(round);

/** Objects are named by their content: one that is written twice is the same. */
export const bodyObject = (id: EvaluationId, runId: RunId, round: number, body: string): string =>
  `bodies/${bodyKey(id, runId, round, sha256(body))}`;
export const problemObject = (id: EvaluationId, problem: string): string =>
  `problems/${id}/${sha256(problem)}.json`;
