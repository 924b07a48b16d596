import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addSpends, NO_SPEND, spendOf } from "../../../src/domain/budget.ts";
import { ModelKey } from "../../../src/domain/model.ts";
import { addWhole, MAX_SCORE, MAX_TOKENS } from "../../../src/domain/run/amounts.ts";
import { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { MAX_RUN_USD, Usage } from "../../../src/domain/run/usage.ts";
import { foldShard, mergeShard, ShardStats } from "../../../src/domain/stats/shard-stats.ts";
import { ModelStats, StatsFold } from "../../../src/domain/stats/stats.ts";
import { aLogEntry, anEvaluation } from "../../fixtures/records/a-log-entry.ts";
import { AMOUNTS, LARGEST } from "../../fixtures/records/largest-amounts.ts";

const { id: evaluationId } = anEvaluation();
const STEADY = ModelKey.parse("scripted/steady");

/** Numbers of an entry that are no amounts: they say which run it is, or were counted by the evaluator itself. */
const NO_AMOUNTS = [
  ...["v", "round", "index", "trial", "score", "pid", "resultBytes", "transcriptSteps", "recheckOf"],
];

test("every amount of an entry has a largest one to be tried", () => {
  expect(AMOUNTS.filter((name) => !NO_AMOUNTS.includes(name)).sort()).toEqual(Object.keys(LARGEST).sort());
});

const usageOf = (tokens: fc.Arbitrary<number>) =>
  fc.record({
    inputTokens: tokens,
    outputTokens: tokens,
    cachedInputTokens: tokens,
    reasoningTokens: tokens,
  });
const usd = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
const metric = fc.double({ min: -MAX_SCORE, max: MAX_SCORE, noNaN: true });
const amounts = fc.record({
  metrics: fc.dictionary(fc.constantFrom("tone", "depth", "steps"), metric),
  usage: fc.option(usageOf(fc.maxSafeNat())),
  judgeUsage: fc.option(usageOf(fc.maxSafeNat())),
  costUsd: fc.option(usd),
  judgeCostUsd: fc.option(usd),
  runtimeSeconds: usd,
});
const entriesOf = (all: readonly Partial<LogEntry>[]) =>
  all.map((some, index) => aLogEntry({ ...some, index }));

test.each([MAX_SCORE * 1.001, -Number.MAX_VALUE])("a stored entry cannot have a metric of %d", (tone) => {
  expect(LogEntry.safeParse(aLogEntry(LARGEST)).error).toBeUndefined();
  expect(LogEntry.safeParse({ ...aLogEntry(), metrics: { tone } }).success).toBe(false);
});

describe("amounts of any size", () => {
  const some = fc.array(fc.oneof(amounts, fc.constant(LARGEST)), { minLength: 1, maxLength: 12 });

  test("add up to stats that can be stored and read, the same in any order and in any parts", () => {
    fc.assert(
      fc.property(some, fc.nat(12), (all, cut) => {
        const entries = entriesOf(all);
        const [forth, back] = [new StatsFold([STEADY], 12), new StatsFold([STEADY], 12)];
        for (const entry of entries) forth.add(entry);
        for (const entry of entries.toReversed()) back.add(entry);
        expect(back.stats()).toEqual(forth.stats());
        const stats = forth.stats()[STEADY];
        expect(ModelStats.parse(JSON.parse(JSON.stringify(stats)))).toEqual(stats);
        const merged = new StatsFold([], 12);
        for (const [shard, part] of [entries.slice(0, cut), entries.slice(cut)].entries()) {
          const folded = foldShard({ evaluationId, shard, round: 1, from: 0, to: 12 }, part);
          const stored = ShardStats.parse(JSON.parse(JSON.stringify(folded)));
          expect(stored).toEqual(folded);
          mergeShard(merged, stored);
        }
        expect(Object.values(merged.stats())).toEqual([stats]);
      }),
    );
  });

  test("add up to a spend of whole numbers", () => {
    fc.assert(
      fc.property(some, (all) => {
        const spends = entriesOf(all).map(spendOf);
        const sum = spends.reduce(addSpends, NO_SPEND);
        expect(Object.values(sum).every(Number.isSafeInteger)).toBe(true);
        expect(spends.toReversed().reduce(addSpends, NO_SPEND)).toEqual(sum);
      }),
    );
  });
});

test("a sum is exact up to the largest whole number, and stays there", () => {
  expect(addWhole(Number.MAX_SAFE_INTEGER - 1, 1)).toBe(Number.MAX_SAFE_INTEGER);
  expect(addWhole(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
});

test("a million judged runs that use all they may, twice, are counted to the token", () => {
  const usage = Usage.parse(Object.fromEntries(Object.keys(Usage.shape).map((count) => [count, MAX_TOKENS])));
  const most = { usage, judgeUsage: usage, costUsd: MAX_RUN_USD, judgeCostUsd: MAX_RUN_USD };
  const entries = Array.from({ length: 500 }, (_, index) => aLogEntry({ ...most, index }));
  const stored = JSON.stringify(foldShard({ evaluationId, shard: 0, round: 1, from: 0, to: 500 }, entries));
  const shard = ShardStats.parse(JSON.parse(stored));
  const merged = new StatsFold([], 1_000_000);
  let spend = NO_SPEND;
  const ofShard = entries.map(spendOf).reduce(addSpends, NO_SPEND);
  for (let at = 0; at < 2_000; at++) mergeShard(merged, shard);
  for (let at = 0; at < 4_000; at++) spend = addSpends(spend, ofShard);
  const [stats] = Object.values<ModelStats>(merged.stats());
  expect(ModelStats.parse(stats)).toMatchObject({
    ...{ finished: 1_000_000, inputTokens: 1e15, outputTokens: 1e15 },
    ...{ judgeInputTokens: 1e15, judgeOutputTokens: 1e15 },
  });
  expect(spend).toEqual({ nanoUsd: Number.MAX_SAFE_INTEGER, tokens: 8e15 });
});
