import { setImmediate } from "node:timers/promises";
import { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId, ProblemId, RunId } from "../../domain/ids.ts";
import type { RunSpan } from "../../domain/plan.ts";
import type { Problem } from "../../domain/problem.ts";
import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import { RunRange } from "../../domain/run/run-range.ts";
import { type VerdictLetter, verdictOf } from "../../domain/run/verdict.ts";
import { ShardStats } from "../../domain/stats/shard-stats.ts";
import { bodyOfHead, bodyToKeep, EntryHead, StoredBody, toEntryHead } from "../entry-head.ts";
import { unknownProblem } from "../errors.ts";
import type { EntrySource, RunVerdict } from "../ranges.ts";
import type { Seals } from "../seals.ts";
import type { EntryName, Saved, SavedEntry } from "../store.ts";
import {
  addCounts,
  countOf,
  NO_COUNT,
  type ProgressCount,
  problemFromText,
  problemToText,
  readStored,
} from "../stored.ts";

interface KeptEntry {
  readonly runId: RunId;
  readonly index: number;
  readonly round: number;
  /** Nobody else gets at memory: it is enough to know with which key an entry was saved. */
  readonly seal: string | null;
  readonly verdict: VerdictLetter;
  readonly head: string;
  readonly body: string | null;
}

/** After so many runs everything else in the process gets its turn. */
const RUNS_PER_TURN = 500;

/** One evaluation. Everything is kept as JSON text, so that nobody who holds a value can change what was saved. */
export class MemoryEvaluation implements EntrySource {
  readonly cancelled = new Set<number>();
  readonly #problems: readonly string[];
  readonly #problemIds: ReadonlySet<ProblemId>;
  readonly #rounds = new Map<RunId, Map<number, KeptEntry>>();
  readonly #latest = new Map<number, KeptEntry>();
  readonly #seals: Seals;
  readonly #id: EvaluationId;
  readonly #ranges = new Map<string, string>();
  readonly #counts = new Map<number, ProgressCount>();
  readonly #shards = new Map<number, string>();
  #record: string;

  constructor(record: EvaluationRecord, problems: readonly Problem[], seals: Seals) {
    this.#seals = seals;
    this.#id = record.id;
    this.#record = JSON.stringify(record);
    this.#problems = problems.map(problemToText);
    this.#problemIds = new Set(problems.map(({ id }) => id));
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

  saveEntry(entry: LogEntry, body: RunBody): SavedEntry {
    const { runId, round, index } = entry;
    if (!this.#problemIds.has(entry.problemId)) throw unknownProblem(entry);
    const rounds = this.#rounds.get(runId) ?? new Map<number, KeptEntry>();
    if (this.hasEntry(runId, round)) return "already-there";
    const isTaken = rounds.has(round);
    const head = toEntryHead(isTaken ? { ...entry, wasForged: true } : entry);
    const whole = bodyToKeep(entry, head, body);
    const texts = { head: JSON.stringify(head), body: whole && JSON.stringify(whole) };
    const kept = {
      runId,
      index,
      round,
      seal: this.#seals.sign(entry, []),
      verdict: verdictOf(entry),
      ...texts,
    };
    this.#rounds.set(runId, rounds.set(round, kept));
    if (round >= (this.#latest.get(index)?.round ?? 0)) this.#latest.set(index, kept);
    this.#counts.set(round, addCounts(this.#counts.get(round) ?? NO_COUNT, countOf(entry)));
    return isTaken ? "replaced" : "saved";
  }

  removeForeign({ from, to }: RunSpan): EntryName[] {
    const isWanted = (kept: KeptEntry) => kept.index >= from && kept.index < to && this.#isForeign(kept);
    const foreign = [...this.#rounds.values()].flatMap((rounds) => [...rounds.values()]).filter(isWanted);
    for (const { runId, index, round } of foreign) {
      this.#rounds.get(runId)?.delete(round);
      const latest = this.#ownRounds(runId).at(-1);
      if (latest === undefined) this.#latest.delete(index);
      else this.#latest.set(index, latest);
    }
    return foreign.map(({ runId, index, round }) => ({ evaluationId: this.#id, runId, index, round }));
  }

  hasEntry(runId: RunId, round: number): boolean {
    return this.#ownRounds(runId).some((kept) => kept.round === round);
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

  problemAt(position: number): Problem {
    return problemFromText(this.#problems[position], `Problem ${position}`);
  }

  *problems({ from, to }: RunSpan): Generator<Problem> {
    for (let position = from; position < Math.min(to, this.#problems.length); position++) {
      yield this.problemAt(position);
    }
  }

  rounds(runId: RunId): readonly EntryHead[] {
    return this.#ownRounds(runId).map(({ head }) => readHead(head));
  }

  body(runId: RunId, round: number): RunBody | null {
    const found = this.#ownRounds(runId).find((kept) => kept.round === round);
    if (found === undefined) return null;
    return found.body === null
      ? bodyOfHead(readHead(found.head))
      : readStored(StoredBody, found.body, "A body");
  }

  async *#kept({ from, to }: RunSpan): AsyncGenerator<KeptEntry> {
    for (let index = from; index < to; index++) {
      if ((index - from) % RUNS_PER_TURN === 0) await setImmediate();
      const latest = this.#latest.get(index);
      const kept = latest && this.#isForeign(latest) ? this.#ownRounds(latest.runId).at(-1) : latest;
      if (kept !== undefined) yield kept;
    }
  }

  /** Oldest first. */
  #ownRounds(runId: RunId): KeptEntry[] {
    const kept = [...(this.#rounds.get(runId)?.values() ?? [])].filter((each) => !this.#isForeign(each));
    return kept.sort((a, b) => a.round - b.round);
  }

  #isForeign({ round, seal }: KeptEntry): boolean {
    return this.#seals.isForeign({ evaluationId: this.#id, round }, [], seal);
  }
}

const readHead = (text: string): EntryHead => readStored(EntryHead, text, "A log entry");
