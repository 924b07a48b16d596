import type { Spend } from "../domain/budget.ts";
import type { EvaluationRecord, EvaluationStatus } from "../domain/evaluation.ts";
import type { FleetLimits } from "../domain/fleet-limit.ts";
import type { EvaluationId, RunId } from "../domain/ids.ts";
import type { ModelKey } from "../domain/model.ts";
import type { RunSpan } from "../domain/plan.ts";
import type { Problem } from "../domain/problem.ts";
import type { FailureCause } from "../domain/run/failure.ts";
import type { LogEntry, RunBody } from "../domain/run/log-entry.ts";
import type { RunRange } from "../domain/run/run-range.ts";
import type { VerdictRow } from "../domain/run/verdict.ts";
import type { ShardStats } from "../domain/stats/shard-stats.ts";

export type Saved = "saved" | "already-there";
/** `replaced`: what was there had been put there by somebody else. */
export type SavedEntry = Saved | "replaced";
export type Updated = "updated" | "changed";

/** State by which the times of an evaluation's life differ. */
export type EvaluationState = Pick<EvaluationRecord, "round" | "status" | "owner">;

/** Key that an evaluator signs the entries of a round with, and nobody else knows; null where they are not signed. */
export interface SealKey {
  readonly round: number;
  readonly key: string | null;
}

/** Name of an entry, which no other one has. */
export type EntryName = Pick<LogEntry, "evaluationId" | "runId" | "index" | "round">;

export interface EntryFilter {
  /** True for only the runs that failed, false for only those that did not. */
  readonly failed?: boolean;
  readonly runIds?: readonly RunId[];
  readonly fromIndex?: number;
  /** The first index that is not wanted. */
  readonly toIndex?: number;
  readonly model?: ModelKey;
  /** Only right or only wrong answers; a run that failed is neither. */
  readonly correct?: boolean;
  readonly cause?: FailureCause;
}

export interface EvaluationFilter {
  readonly name?: string;
  readonly tag?: string;
  readonly status?: EvaluationStatus;
  readonly limit?: number;
}

export interface PageRequest {
  /** `next` of the page before; one that no page gave is the error `store.bad_cursor`. */
  readonly cursor?: string;
  readonly limit: number;
}

/** A page may have fewer items than asked for, even none; only a null `next` says that nothing follows. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/**
 * Progress of an evaluation in its present round: the runs that have an entry of their own in it.
 * A hint for people, never what decides.
 */
export interface Progress {
  readonly finished: number;
  readonly correct: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

/** A request that may be sent twice: its key stands for one evaluation until it expires. */
export interface RequestClaim {
  readonly key: string;
  /** Tells another request under the same key from the same one sent again. */
  readonly fingerprint: string;
  readonly evaluationId: EvaluationId;
  readonly expiresAt: Date;
}

/** Home of evaluations and the log entries of their runs. */
export interface Store {
  /** What everyone who uses this store knows of the providers together; a brake, never what decides. */
  readonly fleetLimits: FleetLimits;
  /** Creates the evaluation with the problems it is about; an id that exists is refused as `already-there`. */
  createEvaluation(record: EvaluationRecord, problems: Iterable<Problem>): Promise<Saved>;
  /**
   * Replaces the record of an evaluation that exists; another is the error `store.unknown_evaluation`. One that is no
   * longer as expected is left alone, in one step whoever else writes it.
   */
  updateEvaluation(record: EvaluationRecord, expected?: EvaluationState): Promise<Updated>;
  findEvaluation(id: EvaluationId): Promise<EvaluationRecord | null>;
  /** Newest first. */
  listEvaluations(filter?: EvaluationFilter): Promise<readonly EvaluationRecord[]>;
  /** Newest first. */
  pageEvaluations(
    filter: Omit<EvaluationFilter, "limit">,
    page: PageRequest,
  ): Promise<Page<EvaluationRecord>>;
  /** In the order in which they were given; a span gives only those positions, and reads no others. */
  problems(id: EvaluationId, span?: RunSpan): AsyncIterable<Problem>;
  /**
   * Within a round the first save of a run wins, entry and body alike; the body is there before the entry is.
   * The entry's problem is one that the evaluation was created with, its index is the run's number in the
   * plan, the same in every round, and the body holds the whole result. A foreign entry never wins.
   */
  saveEntry(entry: LogEntry, body: RunBody): Promise<SavedEntry>;
  /**
   * Entries of a round are signed with its key from now on. Entries without that signature are foreign, and so are
   * those of later rounds; readers do not see them. What is known of earlier rounds stays as it was.
   */
  learnSeal(id: EvaluationId, seal: SealKey): void;
  /** Takes foreign entries of any round away, and answers with them; none where no key is known. */
  removeForeign(id: EvaluationId, span?: RunSpan): Promise<readonly EntryName[]>;
  /** Whether a run has an entry of its own in a round; the cheapest question about a run, and never out of date. */
  hasEntry(entry: EntryName): Promise<boolean>;
  /**
   * Runs that ended alike without entries of their own. Readers see them as entries; a run that has an entry of
   * its own, in whatever round, is not part of any range, and of several ranges the one of the highest round counts.
   */
  saveRange(range: RunRange): Promise<Saved>;
  /**
   * In plan order, of every run only the entry with the highest round. A large result stays in the body
   * (`result` is null, `resultBytes` is not 0), and long texts are cut with a mark that says so.
   */
  entries(id: EvaluationId, filter?: EntryFilter): AsyncIterable<LogEntry>;
  /** The same entries, page by page. */
  pageEntries(id: EvaluationId, filter: EntryFilter, page: PageRequest): Promise<Page<LogEntry>>;
  /** The result of every planned run, in plan order and without a gap; it takes little room at any size. */
  verdictRows(id: EvaluationId): AsyncIterable<VerdictRow>;
  /** Every round of one run, oldest first. */
  rounds(id: EvaluationId, runId: RunId): Promise<readonly LogEntry[]>;
  /** With the run's number the answer is never out of date; without it the latest entries may be missing for a moment. */
  readBody(id: EvaluationId, runId: RunId, round: number, index?: number): Promise<RunBody | null>;
  progress(id: EvaluationId): Promise<Progress>;
  /** What a shard added up to; a later save of the same shard replaces it. */
  saveShardStats(stats: ShardStats): Promise<void>;
  /** In the order of shards. */
  shardStats(id: EvaluationId): AsyncIterable<ShardStats>;
  /** Asks whoever works on a round, in whatever process, to start no further run of it. */
  requestCancel(id: EvaluationId, round: number): Promise<void>;
  isCancelRequested(id: EvaluationId, round: number): Promise<boolean>;
  /** Adds what a run has spent, in one step whoever else adds; the run's number only says where it is kept. */
  addSpend(id: EvaluationId, spend: Spend, run: number): Promise<void>;
  /** Everything whose adding was answered before this was asked, and maybe more. */
  spent(id: EvaluationId): Promise<Spend>;
  /** Answers with the claim that holds: this one, or an earlier one of the same key that has not expired. */
  claimRequest(claim: RequestClaim, now: Date): Promise<RequestClaim>;
  /** Closing twice is fine; using a closed store is not. */
  close(): Promise<void>;
}
