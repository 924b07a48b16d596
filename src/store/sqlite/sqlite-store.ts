import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Spend } from "../../domain/budget.ts";
import { hasCode } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId, RunId } from "../../domain/ids.ts";
import { countPlanned, type RunSpan, WHOLE_SPAN } from "../../domain/plan.ts";
import type { Problem } from "../../domain/problem.ts";
import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import type { RunRange } from "../../domain/run/run-range.ts";
import type { VerdictRow } from "../../domain/run/verdict.ts";
import type { ShardStats } from "../../domain/stats/shard-stats.ts";
import { bodyOfHead, bodyToKeep, toEntryHead, toLogEntry } from "../entry-head.ts";
import { guard, unknownEvaluation } from "../errors.ts";
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
import { readVerdictRows } from "../verdict-rows.ts";
import { BodyFiles } from "./bodies.ts";
import { SqliteEntries, SqliteSource } from "./entries.ts";
import { SqliteEvaluations } from "./evaluations.ts";
import { openDatabase, SqliteRows } from "./rows.ts";
import { SealFiles } from "./seal-files.ts";
import { SqliteFleetLimits, SqliteSignals } from "./signals.ts";

/** Keeps evaluations in a folder: one SQLite database for what is listed, one file per body. */
export function openSqliteStore(folder: string): Store {
  return guard(folder, () => {
    makeFolder(folder);
    // The dot tells a file in the folder's place from a folder without rights.
    accessSync(`${folder}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
    writeGitignore(folder);
    return sqliteStore(folder, openDatabase(join(folder, "evaluations.sqlite")));
  });
}

/** The store over a database that is open; closing the store closes it. */
export const sqliteStore = (folder: string, database: DatabaseSync): Store =>
  new SqliteStore(
    new SqliteRows(database, folder),
    new BodyFiles(join(folder, "bodies"), join(folder, "drafts")),
    new SealFiles(join(folder, "seals")),
  );

class SqliteStore implements Store {
  readonly fleetLimits: SqliteFleetLimits;
  readonly #rows: SqliteRows;
  readonly #evaluations: SqliteEvaluations;
  readonly #entries: SqliteEntries;
  readonly #signals: SqliteSignals;
  readonly #bodies: BodyFiles;
  readonly #keys: SealFiles;
  readonly #seals: Seals;

  constructor(rows: SqliteRows, bodies: BodyFiles, keys: SealFiles) {
    this.#rows = rows;
    this.#keys = keys;
    this.#seals = new Seals(keys.find);
    this.#evaluations = new SqliteEvaluations(rows);
    this.#entries = new SqliteEntries(rows, this.#seals);
    this.#signals = new SqliteSignals(rows);
    this.#bodies = bodies;
    this.fleetLimits = new SqliteFleetLimits(rows);
  }

  async createEvaluation(record: EvaluationRecord, problems: Iterable<Problem>): Promise<Saved> {
    return this.#evaluations.create(record, problems, () => this.#keys.make(record.id));
  }

  async updateEvaluation(record: EvaluationRecord, expected?: EvaluationState): Promise<Updated> {
    const updated = this.#evaluations.update(record, expected);
    if (updated === "unknown") throw unknownEvaluation(record.id);
    return updated;
  }

  async findEvaluation(id: EvaluationId): Promise<EvaluationRecord | null> {
    return this.#evaluations.find(id);
  }

  readonly listEvaluations: Store["listEvaluations"] = (filter = {}) =>
    listEvaluations(this.#recordsAfter, filter);

  readonly pageEvaluations: Store["pageEvaluations"] = (filter, page) =>
    pageEvaluations(this.#recordsAfter, filter, page);

  problems(id: EvaluationId, span: RunSpan = WHOLE_SPAN): AsyncIterable<Problem> {
    return this.#evaluations.problems(id, span);
  }

  async saveEntry(entry: LogEntry, body: RunBody): Promise<SavedEntry> {
    const { evaluationId, runId, round } = entry;
    if (this.#entries.has(evaluationId, runId, round)) return "already-there";
    const head = toEntryHead(entry);
    const kept = bodyToKeep(entry, head, body);
    const key = kept && (await this.#bodies.write(evaluationId, runId, round, kept));
    const saved = this.#entries.insert(head, key);
    if (saved === "already-there" && key !== null) await this.#removeUnlessWon(entry, key);
    return saved;
  }

  learnSeal(id: EvaluationId, seal: SealKey): void {
    this.#seals.learn(id, seal);
  }

  async removeForeign(id: EvaluationId, { from, to }: RunSpan = WHOLE_SPAN): Promise<readonly EntryName[]> {
    const record = this.#seals.guards(id) ? this.#evaluations.find(id) : null;
    if (record === null) return [];
    return this.#entries.removeForeign(id, { from, to: Math.min(to, countPlanned(record)) });
  }

  async hasEntry({ evaluationId, runId, round }: EntryName): Promise<boolean> {
    return this.#entries.has(evaluationId, runId, round);
  }

  async saveRange(range: RunRange): Promise<Saved> {
    return this.#entries.insertRange(range);
  }

  async *entries(id: EvaluationId, filter: EntryFilter = {}): AsyncGenerator<LogEntry> {
    yield* readEntries(this.#source(id), filter);
  }

  async pageEntries(id: EvaluationId, filter: EntryFilter, page: PageRequest): Promise<Page<LogEntry>> {
    return pageEntries(this.#source(id), filter, page);
  }

  async *verdictRows(id: EvaluationId): AsyncGenerator<VerdictRow> {
    yield* readVerdictRows(this.#source(id));
  }

  async rounds(id: EvaluationId, runId: RunId): Promise<readonly LogEntry[]> {
    const heads = this.#entries.rounds(id, runId);
    if (heads.length === 0) return rangeRounds(this.#source(id), runId);
    return heads.map((head) => toLogEntry(head, this.#evaluations.problemOf(id, head.problemId)));
  }

  async readBody(id: EvaluationId, runId: RunId, round: number): Promise<RunBody | null> {
    const found = this.#entries.find(id, runId, round);
    if (found === null) return rangeBody(await this.rounds(id, runId), round);
    return found.bodyKey === null ? bodyOfHead(found.head) : this.#bodies.read(found.bodyKey);
  }

  async progress(id: EvaluationId): Promise<Progress> {
    const record = this.#evaluations.find(id);
    return toProgress(record === null ? NO_COUNT : this.#entries.progress(id, record.round));
  }

  async saveShardStats(stats: ShardStats): Promise<void> {
    this.#signals.saveShard(stats);
  }

  shardStats(id: EvaluationId): AsyncIterable<ShardStats> {
    return this.#signals.shards(id);
  }

  async requestCancel(id: EvaluationId, round: number): Promise<void> {
    this.#signals.requestCancel(id, round);
  }

  async isCancelRequested(id: EvaluationId, round: number): Promise<boolean> {
    return this.#signals.isCancelRequested(id, round);
  }

  async addSpend(id: EvaluationId, spend: Spend): Promise<Spend> {
    return this.#signals.addSpend(id, spend);
  }

  async claimRequest(claim: RequestClaim, now: Date): Promise<RequestClaim> {
    return this.#signals.claim(claim, now);
  }

  async close(): Promise<void> {
    this.#rows.close();
  }

  readonly #recordsAfter: ReadEvaluations = async (name, after, limit) =>
    this.#evaluations.after(name, after, limit);

  #source(id: EvaluationId): SqliteSource | null {
    const record = this.#evaluations.find(id);
    return record && new SqliteSource(record, this.#evaluations, this.#entries);
  }

  /** Two writers of equal content share one file, and then it is the winner's. */
  async #removeUnlessWon({ evaluationId, runId, round }: LogEntry, key: string): Promise<void> {
    const winner = this.#entries.find(evaluationId, runId, round);
    if (winner?.bodyKey !== key) await this.#bodies.remove(key);
  }
}

/** What an evaluation leaves behind may hold secrets and is never committed by accident. */
function writeGitignore(folder: string): void {
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw cause;
  }
}

/** Makes a folder and those above it; Node's own recursive mkdir never returns on a path like /proc/x. */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  makeOne(path);
}

function makeOne(path: string): void {
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another process may have made it in between.
    if (!existsSync(path)) throw cause;
  }
}
