import { expect, test } from "vitest";
import { bitsBelow, seededBits, xoshiro128 } from "../../src/statistics/random.ts";

// As Rust's rand_xoshiro has them in its own tests, made with xoshiro128starstar.c, version 1.1.
test("the generator gives the numbers of its authors' own code for the state 1, 2, 3, 4", () => {
  const bits = xoshiro128([1, 2, 3, 4]);
  expect(Array.from({ length: 6 }, bits)).toEqual([11520, 0, 5927040, 70819200, 2031721883, 1637235492]);
});

test("one seed gives one sequence, another seed another", () => {
  const take = (seed: number) => Array.from({ length: 5 }, seededBits(seed));
  expect(take(7)).toEqual(take(7));
  expect(take(7)).not.toEqual(take(8));
  expect(new Set(take(0)).size).toBe(5);
});

test("numbers below an end are whole, within it and about equally frequent", () => {
  const bits = seededBits(1);
  const counts = new Map<number, number>();
  for (let draw = 0; draw < 60_000; draw++) {
    const face = bitsBelow(bits, 6);
    counts.set(face, (counts.get(face) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  // Five standard deviations of a fair die.
  for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(460);
});
