import { addSpends, NO_SPEND, type Spend } from "../../domain/budget.ts";
import { type FleetLimit, fleetLimitsIn } from "../../domain/fleet-limit.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { WHOLE_SPAN } from "../../domain/plan.ts";
import { unknownEvaluation, unknownProblem } from "../errors.ts";
import { rangeBody, readVerdictRows } from "../ranges.ts";
import { placeOf, type ReadEvaluations, storeReaders } from "../readers.ts";
import { Seals } from "../seals.ts";
import type { RequestClaim, Store } from "../store.ts";
import { isAsExpected, NO_COUNT, toProgress } from "../stored.ts";
import { MemoryEvaluation } from "./memory-evaluation.ts";

/** Keeps evaluations for as long as the process lives, for those who want no store. */
export function memoryStore(): Store {
  const evaluations = new Map<EvaluationId, MemoryEvaluation>();
  const spends = new Map<EvaluationId, Spend>();
  const claims = new Map<string, RequestClaim>();
  const limits = new Map<string, FleetLimit>();
  const seals = new Seals();
  const find = (id: EvaluationId): MemoryEvaluation | null => evaluations.get(id) ?? null;
  const known = (id: EvaluationId): MemoryEvaluation => {
    const found = find(id);
    if (found === null) throw unknownEvaluation(id);
    return found;
  };
  const recordsAfter: ReadEvaluations = async (name, after, limit) =>
    [...evaluations.values()]
      .map(({ record }) => record)
      .filter((record) => name === undefined || record.name === name)
      .filter((record) => after === null || byNewest(placeOf(record), after) > 0)
      .sort((a, b) => byNewest(placeOf(a), placeOf(b)))
      .slice(0, limit);
  return {
    ...storeReaders(find, recordsAfter),
    fleetLimits: fleetLimitsIn({
      find: (providerKey) => limits.get(providerKey) ?? null,
      save: (providerKey, limit) => void limits.set(providerKey, limit),
      together: (work) => work(),
    }),
    async createEvaluation(record, problems) {
      if (evaluations.has(record.id)) return "already-there";
      evaluations.set(record.id, new MemoryEvaluation(record, [...problems], seals));
      return "saved";
    },
    async updateEvaluation(record, expected) {
      const evaluation = known(record.id);
      if (!isAsExpected(evaluation.record, expected)) return "changed";
      evaluation.record = record;
      return "updated";
    },
    findEvaluation: async (id) => find(id)?.record ?? null,
    async *problems(id, span = WHOLE_SPAN) {
      yield* find(id)?.problems(span) ?? [];
    },
    async saveEntry(entry, body) {
      const evaluation = find(entry.evaluationId);
      if (evaluation === null) throw unknownProblem(entry);
      return evaluation.saveEntry(entry, body);
    },
    learnSeal: (id, seal) => seals.learn(id, seal),
    removeForeign: async (id, span = WHOLE_SPAN) => find(id)?.removeForeign(span) ?? [],
    hasEntry: async ({ evaluationId, runId, round }) => find(evaluationId)?.hasEntry(runId, round) ?? false,
    saveRange: async (range) => known(range.evaluationId).saveRange(range),
    verdictRows: (id) => readVerdictRows(find(id)),
    async readBody(id, runId, round) {
      return find(id)?.body(runId, round) ?? rangeBody(await this.rounds(id, runId), round);
    },
    progress: async (id) => toProgress(find(id)?.count ?? NO_COUNT),
    saveShardStats: async (stats) => known(stats.evaluationId).saveShard(stats),
    async *shardStats(id) {
      yield* find(id)?.shards ?? [];
    },
    async requestCancel(id, round) {
      known(id).cancelled.add(round);
    },
    isCancelRequested: async (id, round) => find(id)?.cancelled.has(round) ?? false,
    async addSpend(id, spend) {
      spends.set(id, addSpends(spends.get(id) ?? NO_SPEND, spend));
    },
    spent: async (id) => spends.get(id) ?? NO_SPEND,
    async claimRequest(claim, now) {
      for (const [key, { expiresAt }] of claims) if (expiresAt <= now) claims.delete(key);
      const holds = claims.get(claim.key) ?? claim;
      claims.set(claim.key, holds);
      return holds;
    },
    close: async () => {},
  };
}

type Place = ReturnType<typeof placeOf>;

const byNewest = (a: Place, b: Place): number =>
  b.startedMs - a.startedMs || Number(a.id < b.id) - Number(a.id > b.id);
