import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import type { EvaluationId } from "../../domain/ids.ts";
import { countPlanned, placeOfRun, WHOLE_SPAN } from "../../domain/plan.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { bodyOfHead, bodyToKeep, toEntryHead } from "../entry-head.ts";
import { unknownEvaluation, unknownProblem } from "../errors.ts";
import { type EntrySource, rangeBody, shardVerdictRows } from "../ranges.ts";
import { type ReadEvaluations, storeReaders } from "../readers.ts";
import { Seals } from "../seals.ts";
import type { Store } from "../store.ts";
import { NO_COUNT, toProgress } from "../stored.ts";
import { S3Bodies, S3Texts } from "./bodies.ts";
import { DynamoEntries } from "./entries.ts";
import { DynamoEvaluations, manifestOf } from "./evaluations.ts";
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
export function dynamoStore({ dynamo, table, s3, bucket }: DynamoPlace): Store {
  const items = new DynamoItems(dynamo, table);
  const texts = new S3Texts(s3, bucket);
  const seals = new Seals();
  const evaluations = new DynamoEvaluations(items);
  const problems = new DynamoProblems(items, texts);
  const entries = new DynamoEntries(items, seals);
  const progress = new DynamoProgress(items);
  const signals = new DynamoSignals(items);
  const bodies = new S3Bodies(texts);
  const recordsAfter: ReadEvaluations = (name, after, limit) => evaluations.after(name, after, limit);
  const sourceOf = async (id: EvaluationId): Promise<EntrySource | null> => {
    const stored = await evaluations.find(id);
    if (stored === null) return null;
    const manifest = manifestOf(stored);
    return {
      record: stored.record,
      ranges: await entries.ranges(id),
      heads: (span) => entries.heads(id, span),
      verdicts: (span) => entries.verdicts(id, span),
      rounds: (runId) => entries.rounds(id, runId),
      problemAt: (position) => problems.at(manifest, position),
    };
  };
  /** Whoever saves an entry has just read its problem, so that its chunk is at hand. */
  const checkProblem = async (entry: LogEntry): Promise<void> => {
    const manifest = await evaluations.manifest(entry.evaluationId);
    const place = manifest && placeOfRun(manifest, entry.index);
    if (manifest === null || place === null) throw unknownProblem(entry);
    if ((await problems.idAt(manifest, place.problem)) !== entry.problemId) throw unknownProblem(entry);
  };
  return {
    ...storeReaders(sourceOf, recordsAfter),
    fleetLimits: new DynamoFleetLimits(items),
    /** The problems first: an evaluation that is there has all of them. */
    async createEvaluation(record, given) {
      if ((await evaluations.find(record.id)) !== null) return "already-there";
      const set = problemSet(JSON.stringify(record));
      await problems.create(record.id, set, given);
      return evaluations.create(record, set);
    },
    async updateEvaluation(record, expected) {
      const updated = await evaluations.update(record, expected);
      if (updated === "unknown") throw unknownEvaluation(record.id);
      return updated;
    },
    findEvaluation: async (id) => (await evaluations.find(id))?.record ?? null,
    async *problems(id, span = WHOLE_SPAN) {
      const manifest = await evaluations.manifest(id);
      if (manifest !== null) yield* problems.read(manifest, span);
    },
    async saveEntry(entry, body) {
      await checkProblem(entry);
      const head = toEntryHead(entry);
      const kept = bodyToKeep(entry, head, body);
      const key = kept && (await bodies.write(entry, kept));
      const saved = await entries.insert(head, key);
      // The entry is saved, whatever becomes of a hint about it.
      if (saved !== "already-there") await progress.bump(entry).catch(() => {});
      return saved;
    },
    learnSeal: (id, seal) => seals.learn(id, seal),
    async removeForeign(id, { from, to } = WHOLE_SPAN) {
      const manifest = seals.guards(id) ? await evaluations.manifest(id) : null;
      if (manifest === null) return [];
      return entries.removeForeign(id, { from, to: Math.min(to, countPlanned(manifest)) });
    },
    hasEntry: (entry) => entries.has(entry),
    saveRange: (range) => entries.insertRange(range),
    async *verdictRows(id) {
      yield* shardVerdictRows(await sourceOf(id), signals.shards(id));
    },
    async readBody(id, runId, round, index) {
      const found = await (index === undefined
        ? entries.find(id, runId, round)
        : entries.findAt(id, index, round));
      if (found === null) return rangeBody(await this.rounds(id, runId), round);
      return found.bodyKey === null ? bodyOfHead(found.head) : bodies.read(found.bodyKey);
    },
    async progress(id) {
      const stored = await evaluations.find(id);
      return toProgress(stored === null ? NO_COUNT : await progress.read(stored.record));
    },
    saveShardStats: (stats) => signals.saveShard(stats),
    shardStats: (id) => signals.shards(id),
    requestCancel: (id, round) => signals.requestCancel(id, round),
    isCancelRequested: (id, round) => signals.isCancelRequested(id, round),
    addSpend: (id, spend, run) => signals.addSpend(id, spend, run),
    spent: (id) => signals.spent(id),
    claimRequest: (claim, now) => signals.claim(claim, now),
    close: async () => {},
  };
}
