import fc from "fast-check";
import { expect, test } from "vitest";
import { passAtK, passHatK } from "../../src/statistics/passes.ts";

const trials = fc
  .integer({ min: 1, max: 200 })
  .chain((size) => fc.record({ hits: fc.nat(size), size: fc.constant(size) }));

function choose(n: number, k: number): bigint {
  let [above, below] = [1n, 1n];
  for (let at = 0; at < k; at++) {
    above *= BigInt(Math.max(0, n - at));
    below *= BigInt(at + 1);
  }
  return above / below;
}
const ratio = (a: bigint, b: bigint): number => Number((a * 10n ** 15n) / b) / 1e15;

// Chen et al., Evaluating Large Language Models Trained on Code (2021), equation 1.
test("pass@k is 1 − C(n − c, k) / C(n, k), in exact arithmetic", () => {
  fc.assert(
    fc.property(trials, fc.integer({ min: 1, max: 200 }), ({ hits, size }, k) => {
      fc.pre(k <= size);
      const expected = 1 - ratio(choose(size - hits, k), choose(size, k));
      expect(passAtK({ hits, size }, k)).toBeCloseTo(expected, 12);
    }),
  );
});

// Yao et al., τ-bench (2024), section 2.
test("pass^k is C(c, k) / C(n, k), in exact arithmetic", () => {
  fc.assert(
    fc.property(trials, fc.integer({ min: 1, max: 200 }), ({ hits, size }, k) => {
      fc.pre(k <= size);
      const expected = ratio(choose(hits, k), choose(size, k));
      expect(passHatK({ hits, size }, k)).toBeCloseTo(expected, 12);
    }),
  );
});

test("one of k is at least as likely with a larger k, all of k at most as likely; at 1 both are the share", () => {
  fc.assert(
    fc.property(trials, (problem) => {
      const share = problem.hits / problem.size;
      expect(passAtK(problem, 1)).toBeCloseTo(share, 12);
      expect(passHatK(problem, 1)).toBeCloseTo(share, 12);
      for (let k = 2; k <= Math.min(8, problem.size); k++) {
        const [any, anyBefore] = [passAtK(problem, k) ?? -1, passAtK(problem, k - 1) ?? -1];
        const [all, allBefore] = [passHatK(problem, k) ?? -1, passHatK(problem, k - 1) ?? -1];
        expect(any).toBeGreaterThanOrEqual(anyBefore - 1e-12);
        expect(all).toBeLessThanOrEqual(allBefore + 1e-12);
        expect(0 <= all && all <= any + 1e-12 && any <= 1).toBe(true);
      }
    }),
  );
});

test("one of k right mirrors all of k wrong, and a right trial more lowers neither", () => {
  fc.assert(
    fc.property(trials, fc.integer({ min: 1, max: 8 }), ({ hits, size }, k) => {
      fc.pre(k <= size);
      const [any, all] = [passAtK({ hits, size }, k) ?? -1, passHatK({ hits, size }, k) ?? -1];
      expect(any).toBeCloseTo(1 - (passHatK({ hits: size - hits, size }, k) ?? -1), 12);
      if (hits === size) return;
      expect(passAtK({ hits: hits + 1, size }, k)).toBeGreaterThanOrEqual(any);
      expect(passHatK({ hits: hits + 1, size }, k)).toBeGreaterThanOrEqual(all);
    }),
  );
});

test("more trials than there are say nothing", () => {
  expect(passAtK({ hits: 2, size: 2 }, 3)).toBeNull();
  expect(passHatK({ hits: 2, size: 2 }, 3)).toBeNull();
});
