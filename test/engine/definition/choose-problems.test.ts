import fc from "fast-check";
import { expect, test } from "vitest";
import { ProblemId } from "../../../src/domain/ids.ts";
import type { Problem } from "../../../src/domain/problem.ts";
import { chooseProblems, type ProblemChoice } from "../../../src/engine/definition/choose-problems.ts";
import { sha256 } from "../../../src/system/digest.ts";

const aProblem = (id: string, ...tags: string[]): Problem => ({
  id: ProblemId.parse(id),
  problem: id,
  expected: null,
  tags,
});
const LIST = [aProblem("a", "easy"), aProblem("b", "hard"), aProblem("c", "easy", "sums"), aProblem("d")];

const idsOf = async (choice: ProblemChoice, list: readonly Problem[] = LIST): Promise<string[]> =>
  (await chooseProblems(list, choice, sha256)).map(({ id }) => id);

test.each<[choice: ProblemChoice, ids: string[]]>([
  [{}, ["a", "b", "c", "d"]],
  [{ problemIds: ["d", "b"] }, ["b", "d"]],
  [{ tags: ["easy"] }, ["a", "c"]],
  [{ tags: ["hard", "sums"] }, ["b", "c"]],
  [{ tags: ["easy"], limit: 1 }, ["a"]],
  [{ problemIds: ["b", "c"], tags: ["easy"] }, ["c"]],
  [{ limit: 0 }, []],
  [{ sample: 9 }, ["a", "b", "c", "d"]],
])("%j chooses %j", async (choice, ids) => {
  expect(await idsOf(choice)).toEqual(ids);
});

test.each<[choice: ProblemChoice, message: string]>([
  [{ problemIds: ["a", "z"] }, 'there is no problem "z"; the first ids are a, b, c, d'],
  [{ tags: ["x", "y"] }, 'no problem has the tag "x" or "y"; the tags are easy, hard, sums'],
])("%j is told what there is", async (choice, message) => {
  await expect(idsOf(choice)).rejects.toThrow(message);
});

test("a list without end is read only as far as it has to be", async () => {
  let read = 0;
  function* endless() {
    for (;;) yield aProblem(`p${read++}`);
  }
  await chooseProblems(endless(), { limit: 3 }, sha256);
  await chooseProblems(endless(), { problemIds: ["p7"] }, sha256);
  expect(read).toBeLessThan(20);
});

const MANY = Array.from({ length: 40 }, (_, number) => aProblem(`p${number}`));
const seeds = fc.integer({ min: 1, max: 1_000 });

test("a sample has its size, and is the same wherever problems stand", async () => {
  const shuffled = fc.shuffledSubarray(MANY, { minLength: MANY.length });
  await fc.assert(
    fc.asyncProperty(shuffled, seeds, fc.integer({ min: 1, max: 40 }), async (list, seed, sample) => {
      const drawn = await idsOf({ sample, seed }, list);
      expect(drawn).toHaveLength(sample);
      expect(drawn.toSorted()).toEqual((await idsOf({ sample, seed }, MANY)).toSorted());
    }),
  );
});

test("a larger sample of one seed holds the smaller one", async () => {
  await fc.assert(
    fc.asyncProperty(seeds, fc.integer({ min: 1, max: 39 }), async (seed, sample) => {
      const larger = await idsOf({ sample: sample + 1, seed }, MANY);
      expect(larger).toEqual(expect.arrayContaining(await idsOf({ sample, seed }, MANY)));
    }),
  );
});

test("other seeds draw other problems, and each one comes its turn", async () => {
  const draws = await Promise.all(
    Array.from({ length: 60 }, (_, seed) => idsOf({ sample: 5, seed: seed + 1 }, MANY)),
  );
  expect(new Set(draws.map(String)).size).toBeGreaterThan(50);
  expect(new Set(draws.flat()).size).toBe(MANY.length);
});
