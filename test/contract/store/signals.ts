import { expect, test } from "vitest";
import { NO_SPEND, spendOf } from "../../../src/domain/budget.ts";
import { EvaluationId } from "../../../src/domain/ids.ts";
import { failure } from "../../../src/domain/run/failure.ts";
import { toUsd } from "../../../src/domain/run/usage.ts";
import { foldShard } from "../../../src/domain/stats/shard-stats.ts";
import type { Progress, RequestClaim } from "../../../src/store/store.ts";
import { aBody, aLogEntry, anEvaluation, aProblem } from "../../fixtures/records/a-log-entry.ts";
import { aRange } from "../../fixtures/records/a-plan.ts";
import { LARGEST } from "../../fixtures/records/largest-amounts.ts";
import { collect } from "./collect.ts";
import type { StoreOpener } from "./opener.ts";

const { id } = anEvaluation();
const MOST = Number.MAX_SAFE_INTEGER;

/** What a store promises of progress, shards, cancelling and requests that come twice. */
export function signalTests(stores: StoreOpener): void {
  test("progress adds up the entries of the present round", async () => {
    const store = await stores.created();
    expect(await store.progress(id)).toEqual(NOTHING);
    const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0, reasoningTokens: 0 };
    await store.saveEntry(aLogEntry({ index: 0, usage, costUsd: 0.1 }), aBody());
    await store.saveEntry(aLogEntry({ index: 1, usage, costUsd: 0.2, correct: false }), aBody());
    const failed = { correct: null, usage: null, costUsd: null, failure: failure("timeout", "slow") };
    await store.saveEntry(aLogEntry({ index: 2, ...failed }), aBody());
    await store.saveEntry(aLogEntry({ index: 2, ...failed }), aBody());
    await store.saveRange(aRange({ from: 3, to: 10 }));
    const first: Progress = {
      finished: 3,
      correct: 1,
      failed: 1,
      inputTokens: 200,
      outputTokens: 40,
      costUsd: 0.3,
    };
    expect(await store.progress(id)).toEqual(first);
    await store.updateEvaluation(anEvaluation({ round: 2 }));
    expect(await store.progress(id)).toEqual(NOTHING);
    await store.saveEntry(aLogEntry({ index: 2, round: 2, usage, costUsd: 0.1 }), aBody());
    expect(await store.progress(id)).toMatchObject({ finished: 1, correct: 1, failed: 0, costUsd: 0.1 });
  });

  test("the largest amounts that an entry can hold are kept, and their sums stay whole", async () => {
    const store = await stores.created();
    const entries = [0, 1, 2].map((index) => aLogEntry({ ...LARGEST, index }));
    for (const entry of entries) await store.saveEntry(entry, aBody());
    expect(await collect(store.entries(id))).toEqual(entries);
    expect(await store.progress(id)).toEqual({
      ...{ finished: 3, correct: 3, failed: 0 },
      ...{ inputTokens: MOST, outputTokens: MOST, costUsd: toUsd(MOST) },
    });
    for (const entry of entries) await store.addSpend(id, spendOf(entry), entry.index);
    expect(await store.spent(id)).toEqual({ nanoUsd: MOST, tokens: MOST });
    const shard = foldShard({ evaluationId: id, shard: 0, round: 1, from: 0, to: 3 }, entries);
    await store.saveShardStats(shard);
    expect(await collect(store.shardStats(id))).toEqual([shard]);
  });

  test("concurrent saves are each counted once", async () => {
    const store = await stores.created();
    const indexes = Array.from({ length: 60 }, (_, number) => number % 30);
    await Promise.all(indexes.map((index) => store.saveEntry(aLogEntry({ index }), aBody())));
    expect(await store.progress(id)).toMatchObject({ finished: 30, correct: 30 });
  });

  test("the stats of shards come in their order, the last save of each", async () => {
    const store = await stores.created([aProblem()], { trials: 2_000_000 });
    const shards = Array.from({ length: 120 }, (_, number) => (number * 77) % 120);
    const statsOf = (shard: number, round: number) =>
      foldShard({ evaluationId: id, shard, round, from: shard * 500, to: shard * 500 + 3 }, [
        aLogEntry({ index: shard * 500, round }),
      ]);
    for (const shard of shards) await store.saveShardStats(statsOf(shard, 1));
    await store.saveShardStats(statsOf(7, 2));
    const found = await collect(store.shardStats(id));
    expect(found).toEqual([...Array(120).keys()].map((shard) => statsOf(shard, shard === 7 ? 2 : 1)));
    expect(await collect(store.shardStats(EvaluationId.parse("unknown")))).toEqual([]);
  });

  test("cancelling asks one round to stop, and no other", async () => {
    const store = await stores.created();
    expect(await store.isCancelRequested(id, 1)).toBe(false);
    await store.requestCancel(id, 1);
    await store.requestCancel(id, 1);
    expect(await store.isCancelRequested(id, 1)).toBe(true);
    expect(await store.isCancelRequested(id, 2)).toBe(false);
  });

  test("what runs have spent adds up per evaluation", async () => {
    const store = await stores.created();
    const other = EvaluationId.parse("another");
    expect(await store.spent(id)).toEqual(NO_SPEND);
    await store.addSpend(id, { nanoUsd: 5, tokens: 7 }, 0);
    expect(await store.spent(id)).toEqual({ nanoUsd: 5, tokens: 7 });
    await store.addSpend(id, { nanoUsd: 4e12, tokens: 1 }, 1_001);
    await store.addSpend(other, { nanoUsd: 1, tokens: 1 }, 0);
    expect(await store.spent(id)).toEqual({ nanoUsd: 4e12 + 5, tokens: 8 });
    expect(await store.spent(other)).toEqual({ nanoUsd: 1, tokens: 1 });
  });

  test("whoever spends at the same time, each sees at least what it has added, and none is lost", async () => {
    const store = await stores.created();
    const seen = Array.from({ length: 50 }, async (_, run) => {
      const before = await store.spent(id);
      await store.addSpend(id, { nanoUsd: 3, tokens: 1 }, run);
      const after = await store.spent(id);
      return after.tokens - before.tokens;
    });
    expect(Math.min(...(await Promise.all(seen)))).toBeGreaterThanOrEqual(1);
    expect(await store.spent(id)).toEqual({ nanoUsd: 150, tokens: 50 });
  });

  test("of requests under one key the first holds until it expires", async () => {
    const store = await stores.empty();
    const first = aClaim("first", 10);
    expect(await store.claimRequest(first, at(0))).toEqual(first);
    expect(await store.claimRequest(aClaim("second", 20), at(9))).toEqual(first);
    const third = aClaim("third", 30);
    expect(await store.claimRequest(third, at(10))).toEqual(third);
    expect(await store.claimRequest(first, at(11))).toEqual(third);
    const other = { ...aClaim("other", 30), key: 'k"\ud800 2' };
    expect(await store.claimRequest(other, at(11))).toEqual(other);
  });

  test("of concurrent requests under one key exactly one holds", async () => {
    const store = await stores.empty();
    const claims = Array.from({ length: 20 }, (_, number) => aClaim(`request-${number}`, 10));
    const answers = await Promise.all(claims.map((claim) => store.claimRequest(claim, at(0))));
    expect(new Set(answers.map(({ evaluationId }) => evaluationId)).size).toBe(1);
  });
}

const NOTHING: Progress = {
  finished: 0,
  correct: 0,
  failed: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

const aClaim = (fingerprint: string, expiresAtSecond: number): RequestClaim => ({
  key: "retry-me",
  fingerprint,
  evaluationId: EvaluationId.parse(fingerprint),
  expiresAt: at(expiresAtSecond),
});
