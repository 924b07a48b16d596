import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { modelKey } from "../../../src/domain/model.ts";
import { MAX_SCORE } from "../../../src/domain/run/amounts.ts";
import { FAILURE_CAUSES, type FailureCause, failure } from "../../../src/domain/run/failure.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { NO_USAGE } from "../../../src/domain/run/usage.ts";
import { ModelStats, StatsFold } from "../../../src/domain/stats/stats.ts";
import { aLogEntry } from "../../fixtures/records/a-log-entry.ts";

const STEADY = modelKey({ providerKey: "scripted", model: "steady" });
const OTHER = modelKey({ providerKey: "other", model: "steady" });

const right = () => aLogEntry();
const wrong = () => aLogEntry({ correct: false });
const unscored = () => aLogEntry({ correct: null });
const failed = (cause: FailureCause) =>
  aLogEntry({ correct: null, result: null, failure: failure(cause, "why") });

function statsOf(entries: readonly LogEntry[], planned = entries.length) {
  const fold = new StatsFold([STEADY], planned);
  for (const entry of entries) fold.add(entry);
  const { [STEADY]: stats } = fold.stats();
  if (stats === undefined) throw new Error("no stats");
  return stats;
}

test("every planned model has stats, also with no problems", () => {
  const stats = new StatsFold([STEADY, OTHER], 0).stats();
  expect(Object.keys(stats)).toEqual([STEADY, OTHER]);
  expect(stats[STEADY]).toEqual({
    finished: 0,
    correct: 0,
    inputTokens: 0,
    outputTokens: 0,
    totalRuntimeSeconds: 0,
    planned: 0,
    wrong: 0,
    scored: 0,
    unscored: 0,
    failed: 0,
    failuresByCause: {},
    failuresByFault: { model: 0, code: 0, infrastructure: 0, stopped: 0 },
    accuracy: null,
    accuracyOfScored: null,
    accuracyOfAll: null,
    failureRate: null,
    meanScore: null,
    metrics: {},
    cachedInputTokens: 0,
    reasoningTokens: 0,
    costUsd: null,
    runsWithUnknownCost: 0,
    runsWithUnknownUsage: 0,
    judgeInputTokens: 0,
    judgeOutputTokens: 0,
    judgeCostUsd: null,
    runsWithUnknownJudgeCost: 0,
    p50RuntimeSeconds: null,
    p95RuntimeSeconds: null,
  });
});

test("the same model of two providers is counted apart", () => {
  const fold = new StatsFold([STEADY, OTHER], 2);
  for (const entry of [right(), wrong(), aLogEntry({ providerKey: "other" })]) fold.add(entry);
  expect(fold.stats()).toMatchObject({
    [STEADY]: { finished: 2, correct: 1 },
    [OTHER]: { finished: 1, correct: 1 },
  });
});

describe("the three accuracies and the failure rate", () => {
  test.each<
    [
      what: string,
      entries: LogEntry[],
      headline: number | null,
      scored: number | null,
      all: number | null,
      rate: number,
    ]
  >([
    ["all right", [right(), right()], 1, 1, 1, 0],
    ["one wrong", [right(), wrong()], 0.5, 0.5, 0.5, 0],
    ["a fault of the model", [right(), failed("timeout")], 0.5, 1, 0.5, 0.5],
    [
      "a fault of the user's code",
      [right(), failed("agent_error"), failed("out_of_memory")],
      1,
      1,
      1 / 3,
      2 / 3,
    ],
    ["a fault of the infrastructure", [right(), failed("crashed")], 1, 1, 0.5, 0.5],
    ["a run that was stopped", [right(), failed("cancelled")], 1, 1, 0.5, 0.5],
    ["an answer that nobody could judge", [right(), unscored()], 1, 1, 0.5, 0],
    ["a checker that broke", [failed("checker_error")], null, null, 0, 1],
    ["only faults of the model", [failed("no_answer"), failed("limit")], 0, null, 0, 1],
    [
      "one of each",
      [right(), wrong(), unscored(), failed("timeout"), failed("rate_limited")],
      1 / 3,
      1 / 2,
      1 / 5,
      2 / 5,
    ],
  ])("%s", (_what, entries, accuracy, accuracyOfScored, accuracyOfAll, failureRate) => {
    expect(statsOf(entries)).toMatchObject({ accuracy, accuracyOfScored, accuracyOfAll, failureRate });
  });
});

test("every cause is counted by itself and by its fault", () => {
  const stats = statsOf(FAILURE_CAUSES.map(failed));
  expect(stats.failuresByCause).toEqual(Object.fromEntries(FAILURE_CAUSES.map((cause) => [cause, 1])));
  expect(stats.failuresByFault).toEqual({ model: 3, code: 3, infrastructure: 3, stopped: 2 });
  expect(stats).toMatchObject({ finished: 11, failed: 11, scored: 0 });
});

test("stats that an earlier release stored count by the faults of today", () => {
  const stats = statsOf([right(), wrong(), failed("agent_error"), failed("timeout")]);
  const { code: _code, ...faults } = stats.failuresByFault;
  const stored = { ...stats, failuresByFault: { ...faults, model: 2 }, accuracy: 1 / 4 };
  expect(ModelStats.parse(stored)).toEqual(stats);
});

test("what nobody reported is counted as unknown, not as nothing", () => {
  const unknown = aLogEntry({ usage: null, costUsd: null });
  expect(statsOf([unknown, unknown])).toMatchObject({
    costUsd: null,
    runsWithUnknownCost: 2,
    runsWithUnknownUsage: 2,
    inputTokens: 0,
  });
  const free = aLogEntry({ costUsd: 0 });
  expect(statsOf([unknown, free])).toMatchObject({
    costUsd: 0,
    runsWithUnknownCost: 1,
    runsWithUnknownUsage: 1,
  });
});

test("a run that was stopped before it started has neither a cost nor a runtime", () => {
  const nothing = { attempts: [], usage: NO_USAGE, costUsd: 0, runtimeSeconds: 0 };
  const kept = (["budget", "cancelled", "budget"] as const).map((cause) => ({
    ...failed(cause),
    ...nothing,
  }));
  expect(statsOf(kept)).toMatchObject({ finished: 3, failed: 3, costUsd: null, p50RuntimeSeconds: null });
  const unpriced = aLogEntry({ costUsd: null });
  expect(statsOf([unpriced, ...kept])).toMatchObject({
    finished: 4,
    failuresByCause: { budget: 2, cancelled: 1 },
    costUsd: null,
    runsWithUnknownCost: 1,
    p50RuntimeSeconds: 0.25,
    p95RuntimeSeconds: 0.25,
  });
});

test("a run that was lost without an entry has an unknown cost and no runtime", () => {
  const lost = { ...failed("crashed"), attempts: [], usage: null, costUsd: null, runtimeSeconds: 0 };
  expect(statsOf([lost, lost, right()])).toMatchObject({
    runsWithUnknownCost: 2,
    runsWithUnknownUsage: 2,
    p50RuntimeSeconds: 0.25,
  });
});

test("what judging used is counted apart from what the agent used", () => {
  const judgeUsage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0, reasoningTokens: 0 };
  const judged = aLogEntry({ judgeUsage, judgeCostUsd: 0.001 });
  const unpriced = aLogEntry({ judgeUsage, judgeCostUsd: null });
  expect(statsOf([judged, judged, unpriced, right()])).toMatchObject({
    inputTokens: 40,
    outputTokens: 8,
    costUsd: 0.000_048,
    judgeInputTokens: 300,
    judgeOutputTokens: 60,
    judgeCostUsd: 0.002,
    runsWithUnknownJudgeCost: 1,
  });
});

describe("runtime quantiles", () => {
  const lasting = (seconds: readonly number[]) =>
    statsOf(seconds.map((runtimeSeconds) => aLogEntry({ runtimeSeconds })));
  test.each<[seconds: number[], p50: number, p95: number]>([
    [[3], 3, 3],
    [[1, 2], 1, 2],
    [[3, 1, 2], 2, 3],
    [[5, 5, 5, 1], 5, 5],
    [Array.from({ length: 100 }, (_, index) => (100 - index) / 1_000), 0.05, 0.095],
    [[0, 0, 0.001], 0, 0.001],
  ])("of %j", (seconds, p50RuntimeSeconds, p95RuntimeSeconds) => {
    expect(lasting(seconds)).toMatchObject({ p50RuntimeSeconds, p95RuntimeSeconds });
  });
});

const cents = fc.integer({ min: 0, max: 2 ** 40 });
const entry = fc
  .record({
    correct: fc.option(fc.boolean()),
    score: fc.option(
      fc.oneof(
        fc.double({ min: -MAX_SCORE, max: MAX_SCORE, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
      ),
    ),
    cause: fc.option(fc.constantFrom(...FAILURE_CAUSES)),
    usage: fc.option(
      fc.record({
        inputTokens: cents,
        outputTokens: cents,
        cachedInputTokens: cents,
        reasoningTokens: cents,
      }),
    ),
    costUsd: fc.option(cents.map((nano) => nano / 1e9)),
    runtimeSeconds: fc.integer({ min: 0, max: 90_000_000 }).map((ms) => ms / 1_000),
    providerKey: fc.constantFrom("scripted", "other"),
    hasStarted: fc.boolean(),
  })
  .map(({ cause, hasStarted, ...rest }) => ({
    ...aLogEntry(hasStarted ? {} : { attempts: [] }),
    ...rest,
    failure: cause === null ? null : failure(cause, "why"),
  }));

const foldAll = (entries: readonly LogEntry[]) => {
  const fold = new StatsFold([STEADY, OTHER], entries.length);
  for (const one of entries) fold.add(one);
  return fold.stats();
};

test("any order of folding gives the same numbers to the last digit", () => {
  const shuffled = fc
    .array(entry, { maxLength: 30 })
    .chain((entries) =>
      fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
    );
  fc.assert(
    fc.property(shuffled, ([entries, other]) => {
      expect(foldAll(other)).toEqual(foldAll(entries));
    }),
    { numRuns: 500 },
  );
});

test("no number of any stats is NaN or infinite", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
      const stats = foldAll(entries);
      expect(JSON.parse(JSON.stringify(stats))).toEqual(stats);
    }),
  );
});

test("the counts add up", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
      for (const stats of Object.values(foldAll(entries))) {
        expect(stats.scored).toBe(stats.correct + stats.wrong);
        expect(stats.finished).toBe(stats.scored + stats.unscored + stats.failed);
      }
    }),
  );
});

test("the mean score is that of the runs that have one", () => {
  const entries = [0.5, 1, null, 0.75].map((score) => aLogEntry({ score }));
  expect(statsOf(entries).meanScore).toBe(0.75);
});
