import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { hasCode } from "../../domain/errors.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { countPlanned, WHOLE_SPAN } from "../../domain/plan.ts";
import { sweepFolder } from "../../system/sweep.ts";
import { bodyOfHead, bodyToKeep, toEntryHead } from "../entry-head.ts";
import { guard, unknownEvaluation } from "../errors.ts";
import { type EntrySource, rangeBody, readVerdictRows } from "../ranges.ts";
import { type ReadEvaluations, storeReaders } from "../readers.ts";
import { Seals } from "../seals.ts";
import type { Store } from "../store.ts";
import { NO_COUNT, toProgress } from "../stored.ts";
import { SqliteEntries } from "./entries.ts";
import { SqliteEvaluations } from "./evaluations.ts";
import { BodyFiles, SealFiles } from "./files.ts";
import { openDatabase, SqliteRows } from "./rows.ts";
import { SqliteSignals, sqliteFleetLimits } from "./signals.ts";

const DRAFTS = "drafts";
/** Far longer than it takes to write a body: whoever began it was killed. */
const DRAFT_MS = 86_400_000;

/** Keeps evaluations in a folder: one SQLite database for what is listed, one file per body. */
export function openSqliteStore(folder: string): Store {
  return guard(folder, () => {
    makeFolder(folder);
    // The dot tells a file in the folder's place from a folder without rights.
    accessSync(`${folder}/.`, constants.R_OK | constants.W_OK | constants.X_OK);
    writeOnce(join(folder, ".gitignore"), "*\n");
    const database = join(folder, "evaluations.sqlite");
    // SQLite gives the files that it adds the rights of this one.
    writeOnce(database, "");
    void sweepFolder(join(folder, DRAFTS), /\.tmp$/, DRAFT_MS);
    return sqliteStore(folder, openDatabase(database));
  });
}

/** The store over a database that is open; closing the store closes it. */
export function sqliteStore(folder: string, database: DatabaseSync): Store {
  const rows = new SqliteRows(database, folder);
  const bodies = new BodyFiles(join(folder, "bodies"), join(folder, DRAFTS));
  const keys = new SealFiles(join(folder, "seals"));
  const seals = new Seals(keys.find);
  const evaluations = new SqliteEvaluations(rows);
  const entries = new SqliteEntries(rows, seals);
  const signals = new SqliteSignals(rows);
  const recordsAfter: ReadEvaluations = async (name, after, limit) => evaluations.after(name, after, limit);
  const sourceOf = (id: EvaluationId): EntrySource | null => {
    const record = evaluations.find(id);
    return (
      record && {
        record,
        ranges: entries.ranges(id),
        heads: (span, filter) => entries.heads(id, span, filter),
        verdicts: (span) => entries.verdicts(id, span),
        rounds: (runId) => entries.rounds(id, runId),
        problemAt: (position) => evaluations.problemAt(id, position),
      }
    );
  };
  return {
    ...storeReaders(sourceOf, recordsAfter),
    fleetLimits: sqliteFleetLimits(rows),
    async createEvaluation(record, problems) {
      return evaluations.create(record, problems, () => keys.make(record.id));
    },
    async updateEvaluation(record, expected) {
      const updated = evaluations.update(record, expected);
      if (updated === "unknown") throw unknownEvaluation(record.id);
      return updated;
    },
    findEvaluation: async (id) => evaluations.find(id),
    problems: (id, span = WHOLE_SPAN) => evaluations.problems(id, span),
    async saveEntry(entry, body) {
      const { evaluationId, runId, round } = entry;
      if (entries.has(evaluationId, runId, round)) return "already-there";
      const head = toEntryHead(entry);
      const kept = bodyToKeep(entry, head, body);
      const key = kept && (await bodies.write(evaluationId, runId, round, kept));
      const saved = entries.insert(head, key);
      if (saved !== "already-there" || key === null) return saved;
      // Two writers of equal content share one file, and then it is the winner's.
      const winner = entries.find(evaluationId, runId, round);
      if (winner?.bodyKey !== key) await bodies.remove(key);
      return saved;
    },
    learnSeal: (id, seal) => seals.learn(id, seal),
    async removeForeign(id, { from, to } = WHOLE_SPAN) {
      const record = seals.guards(id) ? evaluations.find(id) : null;
      if (record === null) return [];
      return entries.removeForeign(id, { from, to: Math.min(to, countPlanned(record)) });
    },
    hasEntry: async ({ evaluationId, runId, round }) => entries.has(evaluationId, runId, round),
    saveRange: async (range) => entries.insertRange(range),
    async *verdictRows(id) {
      yield* readVerdictRows(sourceOf(id));
    },
    async readBody(id, runId, round) {
      const found = entries.find(id, runId, round);
      if (found === null) return rangeBody(await this.rounds(id, runId), round);
      return found.bodyKey === null ? bodyOfHead(found.head) : bodies.read(found.bodyKey);
    },
    async progress(id) {
      const record = evaluations.find(id);
      return toProgress(record === null ? NO_COUNT : entries.progress(id, record.round));
    },
    saveShardStats: async (stats) => signals.saveShard(stats),
    shardStats: (id) => signals.shards(id),
    requestCancel: async (id, round) => signals.requestCancel(id, round),
    isCancelRequested: async (id, round) => signals.isCancelRequested(id, round),
    addSpend: async (id, spend) => signals.addSpend(id, spend),
    spent: async (id) => signals.spent(id),
    claimRequest: async (claim, now) => signals.claim(claim, now),
    close: async () => rows.close(),
  };
}

/**
 * Writes a file that is not there yet. What an evaluation leaves behind may hold secrets, so it is never committed by
 * accident, and only this user can read it, until its owner gives it other rights.
 */
function writeOnce(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
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
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    // Another process may have made it in between.
    if (!existsSync(path)) throw cause;
  }
}
