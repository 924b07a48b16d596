import fc from "fast-check";
import { expect, test } from "vitest";
import { FAILURE_CAUSES, failure } from "../../../src/domain/run/failure.ts";
import { countDone, isDone, verdictRow } from "../../../src/domain/run/verdict.ts";

const ends = fc.record({
  index: fc.nat(30),
  failure: fc.option(fc.constantFrom(...FAILURE_CAUSES).map((cause) => failure(cause, "for a reason"))),
  correct: fc.option(fc.boolean()),
});
const entries = fc.uniqueArray(ends, { selector: ({ index }) => index, maxLength: 20 });

test("a row of verdicts and the entries themselves agree on what is done", () => {
  fc.assert(
    fc.property(entries, fc.boolean(), (some, retryFailed) => {
      const { verdicts } = verdictRow({ from: 0, to: 31 }, some);
      expect(countDone(verdicts, retryFailed)).toBe(
        some.filter((entry) => isDone(entry, retryFailed)).length,
      );
    }),
  );
});

test.each([
  ["timeout", true, false],
  ["crashed", true, false],
  ["cancelled", false, false],
  ["budget", false, false],
] as const)("a run that ended as %s is done: %s, and when failures are retried: %s", (cause, is, again) => {
  const entry = { failure: failure(cause, "for a reason") };
  expect([isDone(entry), isDone(entry, true)]).toEqual([is, again]);
});
