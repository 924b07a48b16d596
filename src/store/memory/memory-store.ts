import { addSpends, NO_SPEND, type Spend } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import {
  cutFleetLimit,
  type FleetLease,
  type FleetLimit,
  type FleetLimits,
  type FleetRefusal,
  leaseTurns,
  newFleetLimit,
} from "../../domain/fleet-limit.ts";
import type { EvaluationId, RunId } from "../../domain/ids.ts";
import { type RunSpan, WHOLE_SPAN } from "../../domain/plan.ts";
import type { Problem } from "../../domain/problem.ts";
import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import type { RunRange } from "../../domain/run/run-range.ts";
import type { VerdictRow } from "../../domain/run/verdict.ts";
import type { ShardStats } from "../../domain/stats/shard-stats.ts";
import { unknownEvaluation, unknownProblem } from "../errors.ts";
import { rangeBody, rangeRounds } from "../ranges.ts";
import { pageEntries, readEntries } from "../read-entries.ts";
import { listEvaluations, pageEvaluations, placeOf, type ReadEvaluations } from "../read-evaluations.ts";
import { Seals } from "../seals.ts";
import type {
  EntryFilter,
  EntryName,
  EvaluationState,
  Page,
  PageRequest,
  Progress,
  RequestClaim,
  Saved,
  SavedEntry,
  SealKey,
  Store,
  Updated,
} from "../store.ts";
import { isAsExpected, NO_COUNT, toProgress } from "../stored.ts";
import { readVerdictRows } from "../verdict-rows.ts";
import { MemoryEvaluation } from "./memory-evaluation.ts";

/** Keeps evaluations for as long as the process lives, for those who want no store. */
export const memoryStore = (): Store => new MemoryStore();

class MemoryStore implements Store {
  readonly fleetLimits = new MemoryFleetLimits();
  readonly #evaluations = new Map<EvaluationId, MemoryEvaluation>();
  readonly #spends = new Map<EvaluationId, Spend>();
  readonly #seals = new Seals();
  readonly #claims = new Map<string, RequestClaim>();

  async createEvaluation(record: EvaluationRecord, problems: Iterable<Problem>): Promise<Saved> {
    if (this.#evaluations.has(record.id)) return "already-there";
    this.#evaluations.set(record.id, new MemoryEvaluation(record, [...problems], this.#seals));
    return "saved";
  }

  async updateEvaluation(record: EvaluationRecord, expected?: EvaluationState): Promise<Updated> {
    const evaluation = this.#known(record.id);
    if (!isAsExpected(evaluation.record, expected)) return "changed";
    evaluation.record = record;
    return "updated";
  }

  async findEvaluation(id: EvaluationId): Promise<EvaluationRecord | null> {
    return this.#find(id)?.record ?? null;
  }

  readonly listEvaluations: Store["listEvaluations"] = (filter = {}) =>
    listEvaluations(this.#recordsAfter, filter);

  readonly pageEvaluations: Store["pageEvaluations"] = (filter, page) =>
    pageEvaluations(this.#recordsAfter, filter, page);

  async *problems(id: EvaluationId, span: RunSpan = WHOLE_SPAN): AsyncGenerator<Problem> {
    yield* this.#find(id)?.problems(span) ?? [];
  }

  async saveEntry(entry: LogEntry, body: RunBody): Promise<SavedEntry> {
    const evaluation = this.#find(entry.evaluationId);
    if (evaluation === null) throw unknownProblem(entry);
    return evaluation.saveEntry(entry, body);
  }

  learnSeal(id: EvaluationId, seal: SealKey): void {
    this.#seals.learn(id, seal);
  }

  async removeForeign(id: EvaluationId, span: RunSpan = WHOLE_SPAN): Promise<readonly EntryName[]> {
    return this.#find(id)?.removeForeign(span) ?? [];
  }

  async hasEntry({ evaluationId, runId, round }: EntryName): Promise<boolean> {
    return this.#find(evaluationId)?.hasEntry(runId, round) ?? false;
  }

  async saveRange(range: RunRange): Promise<Saved> {
    return this.#known(range.evaluationId).saveRange(range);
  }

  entries(id: EvaluationId, filter: EntryFilter = {}): AsyncIterable<LogEntry> {
    return readEntries(this.#find(id), filter);
  }

  pageEntries(id: EvaluationId, filter: EntryFilter, page: PageRequest): Promise<Page<LogEntry>> {
    return pageEntries(this.#find(id), filter, page);
  }

  verdictRows(id: EvaluationId): AsyncIterable<VerdictRow> {
    return readVerdictRows(this.#find(id));
  }

  async rounds(id: EvaluationId, runId: RunId): Promise<readonly LogEntry[]> {
    const own = (await this.#find(id)?.rounds(runId)) ?? [];
    return own.length > 0 ? own : rangeRounds(this.#find(id), runId);
  }

  async readBody(id: EvaluationId, runId: RunId, round: number): Promise<RunBody | null> {
    return this.#find(id)?.body(runId, round) ?? rangeBody(await this.rounds(id, runId), round);
  }

  async progress(id: EvaluationId): Promise<Progress> {
    return toProgress(this.#find(id)?.count ?? NO_COUNT);
  }

  async saveShardStats(stats: ShardStats): Promise<void> {
    this.#known(stats.evaluationId).saveShard(stats);
  }

  async *shardStats(id: EvaluationId): AsyncGenerator<ShardStats> {
    yield* this.#find(id)?.shards ?? [];
  }

  async requestCancel(id: EvaluationId, round: number): Promise<void> {
    this.#known(id).cancelled.add(round);
  }

  async isCancelRequested(id: EvaluationId, round: number): Promise<boolean> {
    return this.#find(id)?.cancelled.has(round) ?? false;
  }

  async addSpend(id: EvaluationId, spend: Spend): Promise<Spend> {
    const sum = addSpends(this.#spends.get(id) ?? NO_SPEND, spend);
    this.#spends.set(id, sum);
    return sum;
  }

  async claimRequest(claim: RequestClaim, now: Date): Promise<RequestClaim> {
    for (const [key, { expiresAt }] of this.#claims) if (expiresAt <= now) this.#claims.delete(key);
    const holds = this.#claims.get(claim.key) ?? claim;
    this.#claims.set(claim.key, holds);
    return holds;
  }

  async close(): Promise<void> {}

  #find(id: EvaluationId): MemoryEvaluation | null {
    return this.#evaluations.get(id) ?? null;
  }

  #known(id: EvaluationId): MemoryEvaluation {
    const found = this.#find(id);
    if (found === null) throw unknownEvaluation(id);
    return found;
  }

  readonly #recordsAfter: ReadEvaluations = async (name, after, limit) => {
    const records = [...this.#evaluations.values()].map(({ record }) => record);
    return records
      .filter((record) => name === undefined || record.name === name)
      .filter((record) => after === null || byNewest(placeOf(record), after) > 0)
      .sort((a, b) => byNewest(placeOf(a), placeOf(b)))
      .slice(0, limit);
  };
}

type Place = ReturnType<typeof placeOf>;

const byNewest = (a: Place, b: Place): number =>
  b.startedMs - a.startedMs || Number(a.id < b.id) - Number(a.id > b.id);

/** The limits that the gateways of one process share. */
class MemoryFleetLimits implements FleetLimits {
  readonly #limits = new Map<string, FleetLimit>();

  async lease(providerKey: string, calls: number, nowMs: number): Promise<FleetLease> {
    const known = this.#limits.get(providerKey) ?? newFleetLimit(nowMs);
    const { limit, lease } = leaseTurns(known, calls, nowMs);
    this.#limits.set(providerKey, limit);
    return lease;
  }

  async episode(providerKey: string): Promise<number> {
    return this.#limits.get(providerKey)?.episode ?? 0;
  }

  async cut(providerKey: string, refusal: FleetRefusal, nowMs: number): Promise<void> {
    const known = this.#limits.get(providerKey);
    const cut = known && cutFleetLimit(known, refusal, nowMs);
    if (cut) this.#limits.set(providerKey, cut);
  }
}
