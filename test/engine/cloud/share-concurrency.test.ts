import fc from "fast-check";
import { expect, test } from "vitest";
import { type Shares, shareConcurrency } from "../../../src/engine/cloud/share-concurrency.ts";
import { simulateShards } from "../../fixtures/cloud/simulate-shards.ts";

test.each([
  ["one shard has it all", 50, [500], 1, [50]],
  ["two full shards run side by side", 50, [500, 500], 2, [25, 25]],
  ["a short last shard gets a short share", 50, [500, 10], 2, [49, 1]],
  ["a million runs", 1_000, Array<number>(2_000).fill(500), null, null],
  ["more shards than runs in flight", 2, [500, 500, 500], 1, [2, 2, 2]],
  ["nothing to run", 8, [], 1, []],
  ["a few runs that failed here and there", 50, [3, 1, 2], 3, [3, 1, 2]],
])("%s", (_, concurrency, sizes, shardsInFlight, runsInFlight) => {
  const shares = shareConcurrency(concurrency, sizes);
  expect(shares.runsInFlight).toHaveLength(sizes.length);
  if (shardsInFlight !== null) expect(shares).toEqual({ shardsInFlight, runsInFlight });
  expect(heaviest(shares)).toBeLessThanOrEqual(concurrency);
});

const plans = fc.record({
  concurrency: fc.integer({ min: 1, max: 1_000 }),
  fullShards: fc.integer({ min: 0, max: 40 }),
  lastShard: fc.integer({ min: 1, max: 500 }),
  seed: fc.integer(),
});

test("all shards together never have more in flight than allowed", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 300 }),
      fc.integer({ min: 1, max: 1_000 }),
      (sizes, concurrency) => {
        const shares = shareConcurrency(concurrency, sizes);
        expect(heaviest(shares)).toBeLessThanOrEqual(concurrency);
        expect(shares.shardsInFlight).toBeGreaterThan(0);
        expect(shares.runsInFlight).toHaveLength(sizes.length);
        for (const share of shares.runsInFlight) expect(share).toBeGreaterThan(0);
      },
    ),
  );
});

test("nine tenths of what is allowed are in flight until the tail", () => {
  fc.assert(
    fc.property(plans, ({ concurrency, fullShards, lastShard, seed }) => {
      const sizes = [...Array<number>(fullShards).fill(500), lastShard];
      const { peak, meanUntilTail } = simulateShards(sizes, shareConcurrency(concurrency, sizes), seed);
      const possible = Math.min(
        concurrency,
        sizes.reduce((all, size) => all + size),
      );
      expect(peak).toBeLessThanOrEqual(concurrency);
      expect(meanUntilTail).toBeGreaterThanOrEqual(0.9 * possible);
    }),
    { numRuns: 60 },
  );
});

/** The most that shards which may be in flight together can have in flight. */
const heaviest = ({ shardsInFlight, runsInFlight }: Shares): number =>
  runsInFlight
    .toSorted((a, b) => b - a)
    .slice(0, shardsInFlight)
    .reduce((all, share) => all + share, 0);
