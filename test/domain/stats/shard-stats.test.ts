import fc from "fast-check";
import { expect, test } from "vitest";
import { ModelKey } from "../../../src/domain/model.ts";
import { FAILURE_CAUSES, failure } from "../../../src/domain/run/failure.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { VERDICT, verdictOf, verdictRow } from "../../../src/domain/run/verdict.ts";
import { foldShard, mergeShard, ShardStats } from "../../../src/domain/stats/shard-stats.ts";
import { StatsFold } from "../../../src/domain/stats/stats.ts";
import { aLogEntry, anEvaluation } from "../../fixtures/records/a-log-entry.ts";

const STEADY = ModelKey.parse("scripted/steady");
const HASTY = ModelKey.parse("scripted/hasty");

const entries: fc.Arbitrary<LogEntry[]> = fc
  .array(
    fc.record({
      model: fc.constantFrom("steady", "hasty"),
      correct: fc.constantFrom(true, false, null),
      cause: fc.option(fc.constantFrom(...FAILURE_CAUSES)),
      score: fc.option(fc.double({ min: -5, max: 5, noNaN: true })),
      costUsd: fc.option(fc.double({ min: 0, max: 3, noNaN: true })),
      runtimeSeconds: fc.double({ min: 0, max: 99, noNaN: true }),
      hasUsage: fc.boolean(),
      isJudged: fc.boolean(),
      hasStarted: fc.boolean(),
    }),
    { maxLength: 60 },
  )
  .map((facts) =>
    facts.map(({ cause, hasUsage, isJudged, hasStarted, ...fact }, index) => {
      const usage = { inputTokens: index, outputTokens: 2, cachedInputTokens: 1, reasoningTokens: 1 };
      return aLogEntry({
        ...fact,
        ...(hasStarted ? {} : { attempts: [] }),
        index,
        failure: cause && failure(cause, "why"),
        usage: hasUsage ? usage : null,
        judgeUsage: isJudged ? usage : null,
        judgeCostUsd: isJudged ? fact.costUsd : null,
      });
    }),
  );

test("shards that were stored add up to the stats of all entries, to the last digit", () => {
  const { id } = anEvaluation();
  fc.assert(
    fc.property(entries, fc.integer({ min: 1, max: 20 }), (all, size) => {
      const whole = new StatsFold([STEADY, HASTY], 30);
      for (const entry of all) whole.add(entry);
      const merged = new StatsFold([], 30);
      for (let from = 0, shard = 0; from < all.length; from += size, shard++) {
        const to = Math.min(from + size, all.length);
        const folded = foldShard({ evaluationId: id, shard, round: 1, from, to }, all.slice(from, to));
        mergeShard(merged, ShardStats.parse(JSON.parse(JSON.stringify(folded))));
      }
      for (const [key, stats] of Object.entries(merged.stats()))
        expect(stats).toEqual(whole.stats()[key as ModelKey]);
    }),
  );
});

test("a row has one character per run and a dot where none ended", () => {
  const some = [
    aLogEntry({ index: 11 }),
    aLogEntry({ index: 12, correct: false }),
    aLogEntry({ index: 14, correct: null }),
    aLogEntry({ index: 15, correct: null, failure: failure("timeout", "slow") }),
    aLogEntry({ index: 16 }),
  ];
  expect(verdictRow({ from: 10, to: 16 }, some)).toEqual({ from: 10, verdicts: ".+-.?t" });
});

test("every way to end has a character of its own", () => {
  const ends = FAILURE_CAUSES.map((cause) => verdictOf({ correct: null, failure: failure(cause, "") }));
  expect(new Set([...ends, VERDICT.correct, VERDICT.wrong, VERDICT.unscored, VERDICT.missing]).size).toBe(
    FAILURE_CAUSES.length + 4,
  );
});
