import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import type { Spend } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId, RunId } from "../../domain/ids.ts";
import { countPlanned, placeOfRun, type RunSpan, WHOLE_SPAN } from "../../domain/plan.ts";
import type { Problem } from "../../domain/problem.ts";
import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import type { RunRange } from "../../domain/run/run-range.ts";
import type { VerdictRow } from "../../domain/run/verdict.ts";
import type { ShardStats } from "../../domain/stats/shard-stats.ts";
import { bodyOfHead, bodyToKeep, toEntryHead, toLogEntry } from "../entry-head.ts";
import { unknownEvaluation, unknownProblem } from "../errors.ts";
import { rangeBody, rangeRounds } from "../ranges.ts";
import { pageEntries, readEntries } from "../read-entries.ts";
import { listEvaluations, pageEvaluations, type ReadEvaluations } from "../read-evaluations.ts";
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
import { NO_COUNT, toProgress } from "../stored.ts";
import { shardVerdictRows } from "../verdict-rows.ts";
import { S3Bodies, S3Texts } from "./bodies.ts";
import { DynamoEntries, DynamoSource } from "./entries.ts";
import { DynamoEvaluations } from "./evaluations.ts";
import { DynamoFleetLimits } from "./fleet-limits.ts";
import { DynamoItems } from "./items.ts";
import { problemSet } from "./keys.ts";
import { DynamoProblems } from "./problems.ts";
import { DynamoProgress, DynamoSignals } from "./signals.ts";

export interface DynamoPlace {
  readonly dynamo: DynamoDBClient;
  readonly table: string;
  readonly s3: S3Client;
  readonly bucket: string;
}

/** Keeps evaluations in one DynamoDB table, and bodies in a bucket; whoever gives the clients ends them. */
export const dynamoStore = (place: DynamoPlace): Store => new DynamoStore(place);

class DynamoStore implements Store {
  readonly fleetLimits: DynamoFleetLimits;
  readonly #evaluations: DynamoEvaluations;
  readonly #problems: DynamoProblems;
  readonly #entries: DynamoEntries;
  readonly #progress: DynamoProgress;
  readonly #signals: DynamoSignals;
  readonly #bodies: S3Bodies;
  readonly #seals = new Seals();

  constructor({ dynamo, table, s3, bucket }: DynamoPlace) {
    const items = new DynamoItems(dynamo, table);
    const texts = new S3Texts(s3, bucket);
    this.#evaluations = new DynamoEvaluations(items);
    this.#problems = new DynamoProblems(items, texts);
    this.#entries = new DynamoEntries(items, this.#seals);
    this.#progress = new DynamoProgress(items);
    this.#signals = new DynamoSignals(items);
    this.#bodies = new S3Bodies(texts);
    this.fleetLimits = new DynamoFleetLimits(items);
  }

  /** The problems first: an evaluation that is there has all of them. */
  async createEvaluation(record: EvaluationRecord, problems: Iterable<Problem>): Promise<Saved> {
    if ((await this.#evaluations.find(record.id)) !== null) return "already-there";
    const set = problemSet(JSON.stringify(record));
    await this.#problems.create(record.id, set, problems);
    return this.#evaluations.create(record, set);
  }

  async updateEvaluation(record: EvaluationRecord, expected?: EvaluationState): Promise<Updated> {
    const updated = await this.#evaluations.update(record, expected);
    if (updated === "unknown") throw unknownEvaluation(record.id);
    return updated;
  }

  async findEvaluation(id: EvaluationId): Promise<EvaluationRecord | null> {
    return (await this.#evaluations.find(id))?.record ?? null;
  }

  readonly listEvaluations: Store["listEvaluations"] = (filter = {}) =>
    listEvaluations(this.#recordsAfter, filter);

  readonly pageEvaluations: Store["pageEvaluations"] = (filter, page) =>
    pageEvaluations(this.#recordsAfter, filter, page);

  async *problems(id: EvaluationId, span: RunSpan = WHOLE_SPAN): AsyncGenerator<Problem> {
    const manifest = await this.#evaluations.manifest(id);
    if (manifest !== null) yield* this.#problems.read(manifest, span);
  }

  async saveEntry(entry: LogEntry, body: RunBody): Promise<SavedEntry> {
    await this.#checkProblem(entry);
    const head = toEntryHead(entry);
    const kept = bodyToKeep(entry, head, body);
    const key = kept && (await this.#bodies.write(entry, kept));
    const saved = await this.#entries.insert(head, key);
    // The entry is saved, whatever becomes of a hint about it.
    if (saved !== "already-there") await this.#progress.bump(entry).catch(() => {});
    return saved;
  }

  learnSeal(id: EvaluationId, seal: SealKey): void {
    this.#seals.learn(id, seal);
  }

  async removeForeign(id: EvaluationId, { from, to }: RunSpan = WHOLE_SPAN): Promise<readonly EntryName[]> {
    const manifest = this.#seals.guards(id) ? await this.#evaluations.manifest(id) : null;
    if (manifest === null) return [];
    return this.#entries.removeForeign(id, { from, to: Math.min(to, countPlanned(manifest)) });
  }

  hasEntry(entry: EntryName): Promise<boolean> {
    return this.#entries.has(entry);
  }

  saveRange(range: RunRange): Promise<Saved> {
    return this.#entries.insertRange(range);
  }

  async *entries(id: EvaluationId, filter: EntryFilter = {}): AsyncGenerator<LogEntry> {
    yield* readEntries(await this.#source(id), filter);
  }

  async pageEntries(id: EvaluationId, filter: EntryFilter, page: PageRequest): Promise<Page<LogEntry>> {
    return pageEntries(await this.#source(id), filter, page);
  }

  async *verdictRows(id: EvaluationId): AsyncGenerator<VerdictRow> {
    yield* shardVerdictRows(await this.#source(id), this.#signals.shards(id));
  }

  async rounds(id: EvaluationId, runId: RunId): Promise<readonly LogEntry[]> {
    const source = await this.#source(id);
    if (source === null) return [];
    const heads = await this.#entries.rounds(id, runId);
    if (heads.length === 0) return rangeRounds(source, runId);
    return Promise.all(heads.map(async (head) => toLogEntry(head, await source.problemOf(head))));
  }

  async readBody(id: EvaluationId, runId: RunId, round: number, index?: number): Promise<RunBody | null> {
    const found = await (index === undefined
      ? this.#entries.find(id, runId, round)
      : this.#entries.findAt(id, index, round));
    if (found === null) return rangeBody(await this.rounds(id, runId), round);
    return found.bodyKey === null ? bodyOfHead(found.head) : this.#bodies.read(found.bodyKey);
  }

  async progress(id: EvaluationId): Promise<Progress> {
    const stored = await this.#evaluations.find(id);
    return toProgress(stored === null ? NO_COUNT : await this.#progress.read(stored.record));
  }

  saveShardStats(stats: ShardStats): Promise<void> {
    return this.#signals.saveShard(stats);
  }

  shardStats(id: EvaluationId): AsyncIterable<ShardStats> {
    return this.#signals.shards(id);
  }

  requestCancel(id: EvaluationId, round: number): Promise<void> {
    return this.#signals.requestCancel(id, round);
  }

  isCancelRequested(id: EvaluationId, round: number): Promise<boolean> {
    return this.#signals.isCancelRequested(id, round);
  }

  addSpend(id: EvaluationId, spend: Spend): Promise<Spend> {
    return this.#signals.addSpend(id, spend);
  }

  claimRequest(claim: RequestClaim, now: Date): Promise<RequestClaim> {
    return this.#signals.claim(claim, now);
  }

  async close(): Promise<void> {}

  readonly #recordsAfter: ReadEvaluations = (name, after, limit) =>
    this.#evaluations.after(name, after, limit);

  async #source(id: EvaluationId): Promise<DynamoSource | null> {
    const stored = await this.#evaluations.find(id);
    if (stored === null) return null;
    return new DynamoSource(stored, await this.#entries.ranges(id), this.#entries, this.#problems);
  }

  /** Whoever saves an entry has just read its problem, so that its chunk is at hand. */
  async #checkProblem(entry: LogEntry): Promise<void> {
    const manifest = await this.#evaluations.manifest(entry.evaluationId);
    const place = manifest && placeOfRun(manifest, entry.index);
    if (manifest === null || place === null) throw unknownProblem(entry);
    if ((await this.#problems.idAt(manifest, place.problem)) !== entry.problemId) throw unknownProblem(entry);
  }
}
