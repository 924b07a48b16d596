import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProblemId } from "../../src/domain/ids.ts";
import { type Model, ModelKey, modelKey } from "../../src/domain/model.ts";
import { countPlanned, placeOfRun } from "../../src/domain/plan.ts";
import { FAILURE_CAUSES, failure } from "../../src/domain/run/failure.ts";
import type { LogEntry } from "../../src/domain/run/log-entry.ts";
import { VERDICT, verdictRow } from "../../src/domain/run/verdict.ts";
import { StatsFold } from "../../src/domain/stats/stats.ts";
import { Outcomes } from "../../src/statistics/outcomes.ts";
import { evaluationReport } from "../../src/statistics/report.ts";
import { aLogEntry } from "../fixtures/records/a-log-entry.ts";

const MODELS: readonly Model[] = [
  { providerKey: "scripted", model: "steady" },
  { providerKey: "scripted", model: "hasty" },
];
const STEADY = ModelKey.parse("scripted/steady");

const endings = fc.record({
  correct: fc.option(fc.boolean()),
  cause: fc.option(fc.constantFrom(...FAILURE_CAUSES), { freq: 3 }),
  score: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
});

/** Every run of a small plan, with any ending. */
const evaluations = fc
  .record({ problemCount: fc.integer({ min: 1, max: 8 }), trials: fc.integer({ min: 1, max: 4 }) })
  .chain((shape) => {
    const size = { ...shape, models: MODELS };
    const runs = countPlanned(size);
    return fc.tuple(fc.constant(size), fc.array(endings, { minLength: runs, maxLength: runs }));
  })
  .map(([size, ends]) => ({ size, entries: ends.map((end, index) => entryOf(size, index, end)) }));

function entryOf(
  size: Parameters<typeof placeOfRun>[0],
  index: number,
  {
    cause,
    ...rest
  }: { correct: boolean | null; cause: (typeof FAILURE_CAUSES)[number] | null; score: number | null },
): LogEntry {
  const place = placeOfRun(size, index);
  if (place === null) throw new Error("no such run");
  return {
    ...aLogEntry(),
    ...rest,
    ...place.model,
    index,
    trial: place.trial,
    problemId: ProblemId.parse(`problem-${place.problem}`),
    tags: [place.problem % 2 === 0 ? "even" : "odd", "all"],
    failure: cause === null ? null : failure(cause, "why"),
  };
}

function reportOf(entries: Iterable<LogEntry>) {
  const outcomes = new Outcomes(MODELS.map(modelKey));
  for (const entry of entries) outcomes.addEntry(entry);
  return evaluationReport(outcomes);
}

test("no order of entries changes a digit of the report", () => {
  const shuffled = evaluations.chain(({ entries }) =>
    fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
  );
  fc.assert(
    fc.property(shuffled, ([entries, other]) => {
      expect(reportOf(other)).toEqual(reportOf(entries));
    }),
    { numRuns: 30 },
  );
});

test("rows of verdicts, cut anywhere, say what the entries say, but for scores and tags", () => {
  fc.assert(
    fc.property(evaluations, fc.nat(64), ({ size, entries }, cut) => {
      const ids = Array.from({ length: size.problemCount }, (_, at) => `problem-${at}`);
      const outcomes = new Outcomes(MODELS.map(modelKey));
      const end = entries.length;
      for (const span of [
        { from: Math.min(cut, end), to: end },
        { from: 0, to: Math.min(cut, end) },
      ]) {
        outcomes.addRow(verdictRow(span, entries), size, ids);
      }
      const bare = entries.map((entry) => ({ ...entry, score: null, tags: [] }));
      expect(evaluationReport(outcomes)).toEqual(reportOf(bare));
    }),
    { numRuns: 60 },
  );
});

test("the report's shares are the accuracies and the mean score of the stats", () => {
  fc.assert(
    fc.property(evaluations, ({ entries }) => {
      const fold = new StatsFold(MODELS.map(modelKey), entries.length / 2);
      for (const entry of entries) fold.add(entry);
      const stats = fold.stats();
      for (const [key, report] of Object.entries(reportOf(entries).models)) {
        const { accuracy, accuracyOfScored, accuracyOfAll, meanScore } = stats[ModelKey.parse(key)] ?? {};
        expect(report.accuracy?.value ?? null).toBe(accuracy);
        expect(report.accuracyOfScored?.value ?? null).toBe(accuracyOfScored);
        expect(report.accuracyOfAll?.value ?? null).toBe(accuracyOfAll);
        if (report.meanScore !== null) expect(report.meanScore.value).toBe(meanScore);
      }
    }),
    { numRuns: 60 },
  );
});

describe("a report", () => {
  const runs = (problem: string, verdicts: readonly (boolean | null)[], tags: readonly string[] = []) =>
    verdicts.map((correct, at) =>
      aLogEntry({ problemId: ProblemId.parse(problem), trial: at + 1, correct, tags: [...tags] }),
    );

  test("lists the problems that are neither always right nor always wrong, by id", () => {
    const report = reportOf([
      ...runs("c", [true, false, true]),
      ...runs("a", [false, true]),
      ...runs("b", [true, true, null]),
      ...runs("d", [false, false]),
    ]).models[STEADY];
    expect(report?.flaky).toEqual([
      { problemId: "a", correct: 1, runs: 2 },
      { problemId: "c", correct: 2, runs: 3 },
    ]);
  });

  test("has pass@k and pass^k for every k, all of them over the problems with the most runs", () => {
    const whole = [...runs("a", [true, false, true]), ...runs("c", [false, false, false])];
    const passes = reportOf([...whole, ...runs("b", [true, true])]).models[STEADY]?.passes ?? [];
    expect(
      passes.map(({ k, passAtK, passHatK, problems }) => [k, passAtK.value, passHatK.value, problems]),
    ).toEqual([
      [1, expect.closeTo(1 / 3), expect.closeTo(1 / 3), 2],
      [2, expect.closeTo(1 / 2), expect.closeTo(1 / 6), 2],
      [3, 1 / 2, 0, 2],
    ]);
    expect(passes).toEqual(reportOf(whole).models[STEADY]?.passes);
    expect(reportOf(runs("a", [true])).models[STEADY]?.passes).toEqual([]);
  });

  test("has pass@k that rises and pass^k that falls with k, each within its interval", () => {
    const verdicts = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(verdicts, { minLength: 1, maxLength: 12 }), (problems) => {
        const entries = problems.flatMap((each, at) => runs(`p${at}`, each));
        const passes = reportOf(entries).models[STEADY]?.passes ?? [];
        for (const [at, { passAtK, passHatK }] of passes.entries()) {
          const before = passes[at - 1] ?? { passAtK: { value: 0 }, passHatK: { value: 1 } };
          expect(passAtK.value).toBeGreaterThanOrEqual(before.passAtK.value - 1e-12);
          expect(passHatK.value).toBeLessThanOrEqual(before.passHatK.value + 1e-12);
          for (const { low, value, high } of [passAtK, passHatK]) {
            expect(low - 1e-12 <= value && value <= high + 1e-12).toBe(true);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test("cuts the accuracy by tag; a problem is in the slice of each of its tags", () => {
    const { slices } = reportOf([
      ...runs("a", [true], ["easy", "short"]),
      ...runs("b", [false], ["hard", "short"]),
      ...runs("c", [null], ["unknown"]),
    ]).models[STEADY] ?? { slices: [] };
    expect(slices.map(({ tag, problems, accuracy }) => [tag, problems, accuracy.value])).toEqual([
      ["easy", 1, 1],
      ["hard", 1, 0],
      ["short", 2, 0.5],
    ]);
  });

  test("is rough with fewer than 20 problems", () => {
    const problems = (count: number) =>
      Array.from({ length: count }, (_, at) => runs(`p${at}`, [true])).flat();
    expect(reportOf(problems(19)).isRough).toBe(true);
    expect(reportOf(problems(20)).isRough).toBe(false);
    expect(reportOf([]).isRough).toBe(false);
  });
});

test("a million verdicts need memory for the problems, not for the runs", () => {
  const size = { models: MODELS, problemCount: 5_000, trials: 100 };
  const ids = Array.from({ length: size.problemCount }, (_, at) => `problem-${at}`);
  const outcomes = new Outcomes();
  const verdicts = `${VERDICT.correct}${VERDICT.wrong}`.repeat(250);
  const before = process.memoryUsage();
  for (let from = 0; from < countPlanned(size); from += verdicts.length) {
    outcomes.addRow({ from, verdicts }, size, ids);
  }
  const after = process.memoryUsage();
  // Two models × 5,000 problems × 6 numbers of 4 bytes, and room to grow.
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(2_000_000);
  const { accuracy, flaky } = evaluationReport(outcomes).models[STEADY] ?? {};
  expect(accuracy?.value).toBe(0.5);
  expect(flaky).toHaveLength(5_000);
});
