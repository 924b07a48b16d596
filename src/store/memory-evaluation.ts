import { setImmediate } from "node:timers/promises";
import { EvaluationRecord } from "../domain/evaluation.ts";
import type { ProblemId, RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/log-entry.ts";
import type { Problem } from "../domain/problem.ts";
import type { RunBody } from "../domain/run-body.ts";
import type { RunSpan } from "../domain/run-number.ts";
import { RunRange } from "../domain/run-range.ts";
import { ShardStats } from "../domain/shard-stats.ts";
import { type Verdict, verdictOf } from "../domain/verdict.ts";
import { bodyOfHead, bodyToKeep, StoredBody } from "./body-to-keep.ts";
import type { Saved } from "./contract.ts";
import { EntryHead, toEntryHead, toLogEntry } from "./entry-head.ts";
import type { EntrySource, RunVerdict } from "./entry-source.ts";
import { addCounts, countOf, NO_COUNT, type ProgressCount } from "./progress-count.ts";
import { readStored } from "./read-stored.ts";
import { problemFromText, problemToText } from "./stored-problem.ts";
import { unknownProblem } from "./unknown-problem.ts";

interface KeptEntry {
  readonly index: number;
  readonly round: number;
  readonly verdict: Verdict;
  readonly head: string;
  readonly body: string | null;
}

/** After so many runs everything else in the process gets its turn. */
const RUNS_PER_TURN = 500;

/** One evaluation. Everything is kept as JSON text, so that nobody who holds a value can change what was saved. */
export class MemoryEvaluation implements EntrySource {
  readonly cancelled = new Set<number>();
  readonly #problems: readonly string[];
  readonly #positions: ReadonlyMap<ProblemId, number>;
  readonly #rounds = new Map<RunId, Map<number, KeptEntry>>();
  readonly #latest = new Map<number, KeptEntry>();
  readonly #ranges = new Map<string, string>();
  readonly #counts = new Map<number, ProgressCount>();
  readonly #shards = new Map<number, string>();
  #record: string;

  constructor(record: EvaluationRecord, problems: readonly Problem[]) {
    this.#record = JSON.stringify(record);
    this.#problems = problems.map(problemToText);
    this.#positions = new Map(problems.map(({ id }, position) => [id, position]));
  }

  get record(): EvaluationRecord {
    return readStored(EvaluationRecord, this.#record, "The record of an evaluation");
  }

  set record(record: EvaluationRecord) {
    this.#record = JSON.stringify(record);
  }

  get ranges(): readonly RunRange[] {
    return [...this.#ranges.values()].map((text) => readStored(RunRange, text, "A range of runs"));
  }

  get count(): ProgressCount {
    return this.#counts.get(this.record.round) ?? NO_COUNT;
  }

  get shards(): readonly ShardStats[] {
    const inOrder = [...this.#shards].sort(([a], [b]) => a - b);
    return inOrder.map(([, text]) => readStored(ShardStats, text, "The stats of a shard"));
  }

  saveEntry(entry: LogEntry, body: RunBody): Saved {
    const { runId, round, index } = entry;
    if (!this.#positions.has(entry.problemId)) throw unknownProblem(entry);
    const rounds = this.#rounds.get(runId) ?? new Map<number, KeptEntry>();
    if (rounds.has(round)) return "already-there";
    const head = toEntryHead(entry);
    const whole = bodyToKeep(entry, head, body);
    const texts = { head: JSON.stringify(head), body: whole && JSON.stringify(whole) };
    const kept = { index, round, verdict: verdictOf(entry), ...texts };
    this.#rounds.set(runId, rounds.set(round, kept));
    if (round > (this.#latest.get(index)?.round ?? 0)) this.#latest.set(index, kept);
    this.#counts.set(round, addCounts(this.#counts.get(round) ?? NO_COUNT, countOf(entry)));
    return "saved";
  }

  hasEntry(runId: RunId, round: number): boolean {
    return this.#rounds.get(runId)?.has(round) ?? false;
  }

  saveRange(range: RunRange): Saved {
    const key = `${range.round}#${range.from}#${range.to}`;
    if (this.#ranges.has(key)) return "already-there";
    this.#ranges.set(key, JSON.stringify(range));
    return "saved";
  }

  saveShard(stats: ShardStats): void {
    this.#shards.set(stats.shard, JSON.stringify(stats));
  }

  async *heads(span: RunSpan): AsyncGenerator<EntryHead> {
    for await (const { head } of this.#kept(span)) yield readHead(head);
  }

  async *verdicts(span: RunSpan): AsyncGenerator<RunVerdict> {
    yield* this.#kept(span);
  }

  async problemOf({ problemId }: EntryHead): Promise<Problem> {
    return this.#readProblem(this.#positions.get(problemId) ?? -1);
  }

  async problemAt(position: number): Promise<Problem> {
    return this.#readProblem(position);
  }

  *problems({ from, to }: RunSpan): Generator<Problem> {
    for (let position = from; position < Math.min(to, this.#problems.length); position++) {
      yield this.#readProblem(position);
    }
  }

  async rounds(runId: RunId): Promise<readonly LogEntry[]> {
    const kept = [...(this.#rounds.get(runId)?.values() ?? [])].sort((a, b) => a.round - b.round);
    const heads = kept.map(({ head }) => readHead(head));
    return Promise.all(heads.map(async (head) => toLogEntry(head, await this.problemOf(head))));
  }

  body(runId: RunId, round: number): RunBody | null {
    const found = this.#rounds.get(runId)?.get(round);
    if (found === undefined) return null;
    return found.body === null
      ? bodyOfHead(readHead(found.head))
      : readStored(StoredBody, found.body, "A body");
  }

  async *#kept({ from, to }: RunSpan): AsyncGenerator<KeptEntry> {
    for (let index = from; index < to; index++) {
      if ((index - from) % RUNS_PER_TURN === 0) await setImmediate();
      const kept = this.#latest.get(index);
      if (kept !== undefined) yield kept;
    }
  }

  #readProblem(position: number): Problem {
    return problemFromText(this.#problems[position], `Problem ${position}`);
  }
}

const readHead = (text: string): EntryHead => readStored(EntryHead, text, "A log entry");
