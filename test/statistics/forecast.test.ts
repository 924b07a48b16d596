import fc from "fast-check";
import { expect, test } from "vitest";
import type { ModelKey } from "../../src/domain/model.ts";
import { awsCostUsd, estimateEvaluation, predictSum } from "../../src/statistics/forecast.ts";
import { aLogEntry } from "../fixtures/records/a-log-entry.ts";

test("one run seen gives half and twice, several a prediction interval", () => {
  expect(predictSum([3], 10)).toEqual({ low: 15, expected: 30, high: 60 });
  // mean 3, variance 1, t(0.95; 2) = 2.92: 2.92 × √(10 + 100 / 3) = 19.22
  const { low, expected, high } = predictSum([2, 3, 4], 10) ?? { low: 0, expected: 0, high: 0 };
  expect([low, expected, high].map((value) => value.toFixed(1))).toEqual(["10.8", "30.0", "49.2"]);
});

test("what is not known of one run is not known of the sum", () => {
  expect([predictSum([], 5), predictSum([1, null], 5)]).toEqual([null, null]);
});

test("low is never above expected, nor expected above high, and nothing is below 0", () => {
  const values = fc.array(fc.float({ min: 0, max: 1_000, noNaN: true }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 1_000 }), (seen, runs) => {
      const bounds = predictSum(seen, runs);
      if (bounds === null) throw new Error("all are known");
      expect(bounds.low).toBeGreaterThanOrEqual(0);
      expect(bounds.low).toBeLessThanOrEqual(bounds.expected);
      expect(bounds.expected).toBeLessThanOrEqual(bounds.high);
    }),
  );
});

test("the truth is within the interval about nine times in ten", () => {
  let state = 7;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const draw = (count: number) =>
    Array.from({ length: count }, () => 10 + [1, 2, 3, 4].reduce((sum) => sum + random() - 0.5, 0));
  const trials = Array.from({ length: 2_000 }, () => {
    const bounds = predictSum(draw(6), 20);
    const truth = draw(20).reduce((sum, value) => sum + value, 0);
    return bounds !== null && truth >= bounds.low && truth <= bounds.high;
  });
  const share = trials.filter(Boolean).length / trials.length;
  expect(Math.abs(share - 0.9)).toBeLessThan(0.025);
});

test("a thousand runs of 20 seconds at 1 GB cost AWS about 28 cents", () => {
  expect(awsCostUsd(1_000, 20_000, 1_024)).toBeCloseTo(0.282, 3);
});

test("models add up, and one without a price makes the whole unknown", () => {
  const [a, b] = ["fake/a" as ModelKey, "fake/b" as ModelKey];
  const usage = { inputTokens: 90, outputTokens: 10, cachedInputTokens: 0, reasoningTokens: 0 };
  const run = { providerKey: "fake", usage, runtimeSeconds: 2, startupSeconds: 0, judgeUsage: null };
  const plan = { models: [a, b], runsPerModel: 10, concurrency: 5, memoryMb: 1_024 };
  const seen = [
    aLogEntry({ ...run, model: "a", costUsd: 0.01 }),
    aLogEntry({ ...run, model: "b", costUsd: 0.02 }),
  ];
  const { models, total } = estimateEvaluation({ ...plan, seen });
  expect(models.get(a)).toMatchObject({ runs: 10, tokens: { expected: 1_000 }, seconds: { expected: 4 } });
  expect(total).toMatchObject({ runs: 20, tokens: { expected: 2_000 }, seconds: { expected: 8 } });
  expect(total.modelUsd?.expected).toBeCloseTo(0.3, 9);
  const unpriced = [...seen, aLogEntry({ ...run, model: "b", costUsd: null })];
  const unknown = estimateEvaluation({ ...plan, seen: unpriced });
  expect([unknown.models.get(a)?.modelUsd?.expected, unknown.total.modelUsd]).toEqual([
    expect.closeTo(0.1, 9),
    null,
  ]);
});
