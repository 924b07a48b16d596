import fc from "fast-check";
import { expect, test } from "vitest";
import { ProblemId } from "../../src/domain/ids.ts";
import { modelKey } from "../../src/domain/model.ts";
import { FAILURE_CAUSES, failure } from "../../src/domain/run/failure.ts";
import type { LogEntry } from "../../src/domain/run/log-entry.ts";
import { verdictRow } from "../../src/domain/run/verdict.ts";
import { driftSentence } from "../../src/domain/stats/drift.ts";
import { effortRow } from "../../src/domain/stats/shard-stats.ts";
import { DriftSample, findDrift } from "../../src/statistics/drift.ts";
import { aLogEntry } from "../fixtures/records/a-log-entry.ts";
import { aPlan } from "../fixtures/records/a-plan.ts";

/** So many problems, and what is said of the run of each. */
function sampleOf(problems: number, entryOf: (problem: number) => Partial<LogEntry>): DriftSample {
  const sample = new DriftSample();
  for (let problem = 0; problem < problems; problem++) {
    sample.addEntry(aLogEntry({ problemId: ProblemId.parse(`p${problem}`), ...entryOf(problem) }));
  }
  return sample;
}

/** Each problem has its own price and pace. */
const usual = (problem: number) => ({ costUsd: (problem + 1) / 1_000, runtimeSeconds: 1 + problem / 10 });
const before = sampleOf(30, usual);

test("an evaluation like the one before has nothing to tell", () => {
  expect(findDrift(sampleOf(30, usual), before)).toEqual([]);
});

test("a drop in accuracy is told with its size", () => {
  const now = sampleOf(30, (problem) => ({ ...usual(problem), correct: problem >= 10 }));
  const findings = findDrift(now, before);
  expect(findings).toMatchObject([{ model: "scripted/steady", measure: "accuracy", problems: 30 }]);
  expect(findings[0]?.change).toBeCloseTo(-1 / 3);
  expect(findings.map(driftSentence)).toEqual([
    "scripted/steady: accuracy fell by 33.3 points (p 0.006, 30 problems)",
  ]);
});

test("a drop that may be chance is not told", () => {
  const now = sampleOf(30, (problem) => ({ ...usual(problem), correct: problem >= 4 }));
  expect(findDrift(now, before)).toEqual([]);
});

test.each([
  ["cost", (problem: number) => ({ ...usual(problem), costUsd: ((problem + 1) / 1_000) * 1.5 })],
  ["runtime", (problem: number) => ({ ...usual(problem), runtimeSeconds: (1 + problem / 10) * 1.5 })],
] as const)("a rise in %s is told, and the fall back is not", (measure, dear) => {
  const findings = findDrift(sampleOf(30, dear), before);
  expect(findings.map(driftSentence)).toEqual([
    expect.stringMatching(
      new RegExp(`^scripted/steady: ${measure} rose by 50% \\(p <0.001, 30 problems\\)$`),
    ),
  ]);
  expect(findDrift(before, sampleOf(30, dear))).toEqual([]);
});

test("a rise below a tenth is no news, however sure", () => {
  const now = sampleOf(30, (problem) => ({ ...usual(problem), costUsd: ((problem + 1) / 1_000) * 1.05 }));
  expect(findDrift(now, before)).toEqual([]);
});

test("runs of a few milliseconds that take a few more are no news", () => {
  const quick = (seconds: number) =>
    sampleOf(30, (problem) => ({ ...usual(problem), runtimeSeconds: seconds }));
  expect(findDrift(quick(0.009), quick(0.003))).toEqual([]);
  expect(findDrift(quick(0.9), quick(0.3))).toMatchObject([{ measure: "runtime", change: 2 }]);
});

test("one dear problem among many is chance", () => {
  const now = sampleOf(30, (problem) => (problem === 0 ? { ...usual(0), costUsd: 5 } : usual(problem)));
  expect(findDrift(now, before)).toEqual([]);
});

test("runs that failed for no fault of the model, and unknown costs, say nothing of cost", () => {
  const broken = { failure: failure("crashed", "gone"), correct: null, runtimeSeconds: 900, costUsd: 9 };
  expect(
    findDrift(
      sampleOf(30, () => broken),
      before,
    ),
  ).toEqual([]);
  expect(
    findDrift(
      sampleOf(30, (problem) => ({ ...usual(problem), costUsd: null })),
      before,
    ),
  ).toEqual([]);
});

test("problems and models that only one side has are left out", () => {
  const other = sampleOf(30, (problem) => ({
    ...{ problemId: ProblemId.parse(`q${problem}`), correct: false, costUsd: 9 },
  }));
  expect(findDrift(other, before)).toEqual([]);
  expect(
    findDrift(
      sampleOf(30, () => ({ model: "new", correct: false })),
      before,
    ),
  ).toEqual([]);
});

test("several executions count as trials of each problem", () => {
  const three = new DriftSample();
  for (let execution = 0; execution < 3; execution++) {
    for (let problem = 0; problem < 30; problem++) {
      three.addEntry(aLogEntry({ problemId: ProblemId.parse(`p${problem}`), ...usual(problem) }));
    }
  }
  expect(findDrift(sampleOf(30, usual), three)).toEqual([]);
  const now = sampleOf(30, (problem) => ({ ...usual(problem), correct: problem >= 10 }));
  expect(findDrift(now, three)).toMatchObject([{ measure: "accuracy", problems: 30 }]);
});

test("the order of entries does not matter, and whatever is told got worse", () => {
  const run = fc.record({
    correct: fc.boolean(),
    costUsd: fc.integer({ min: 0, max: 9 }).map((n) => n / 100),
  });
  const runs = fc.array(run, { minLength: 1, maxLength: 25 });
  fc.assert(
    fc.property(runs, runs, (mine, theirs) => {
      const forth = sampleOf(mine.length, (problem) => mine[problem] ?? {});
      const back = new DriftSample();
      for (const [problem, entry] of [...mine.entries()].reverse()) {
        back.addEntry(aLogEntry({ problemId: ProblemId.parse(`p${problem}`), ...entry }));
      }
      const past = sampleOf(theirs.length, (problem) => theirs[problem] ?? {});
      const findings = findDrift(forth, past);
      expect(findDrift(back, past)).toEqual(findings);
      for (const { measure, change, adjustedP } of findings) {
        expect(measure === "accuracy" ? -change : change).toBeGreaterThan(0);
        expect(adjustedP).toBeLessThan(0.05);
      }
    }),
  );
});

test("rows of a plan say what its entries say, whatever became of the runs", () => {
  const ending = fc.record({
    correct: fc.option(fc.boolean()),
    cause: fc.option(fc.constantFrom(...FAILURE_CAUSES), { freq: 2 }),
    costUsd: fc.option(fc.integer({ min: 0, max: 9 }).map((n) => n / 1_000)),
    runtimeSeconds: fc.integer({ min: 0, max: 9_000 }).map((n) => n / 1_000),
  });
  fc.assert(
    fc.property(fc.array(ending, { minLength: 12, maxLength: 12 }), fc.nat(12), (ends, cut) => {
      const plan = aPlan(3);
      const entries = ends.map(({ cause, ...end }, index) =>
        plan.entry(index, { ...end, failure: cause === null ? null : failure(cause, "why") }),
      );
      const [byEntries, byRows] = [new DriftSample(), new DriftSample()];
      for (const entry of entries) byEntries.addEntry(entry);
      const ids = plan.problems.map(({ id }) => id);
      for (const span of [
        { from: 0, to: cut },
        { from: cut, to: 12 },
      ]) {
        byRows.addRow(verdictRow(span, entries), effortRow(span, entries), plan.record, ids);
      }
      for (const model of plan.record.models.map(modelKey)) {
        expect([...byRows.costs(model)].sort()).toEqual([...byEntries.costs(model)].sort());
        expect([...byRows.runtimes(model)].sort()).toEqual([...byEntries.runtimes(model)].sort());
        expect([...(byRows.outcomes.models.get(model) ?? [])].sort()).toEqual(
          [...(byEntries.outcomes.models.get(model) ?? [])].sort(),
        );
      }
    }),
    { numRuns: 60 },
  );
});

test("a hundred thousand problems are compared in seconds, and a rise is told as ever", () => {
  const large = (factor: number) =>
    sampleOf(100_000, (problem) => ({ costUsd: (factor * (problem + 1)) / 1_000_000, runtimeSeconds: 1 }));
  const findings = findDrift(large(1.2), large(1));
  expect(findings).toMatchObject([{ measure: "cost", problems: 100_000, change: expect.closeTo(0.2, 6) }]);
  expect(findings[0]?.adjustedP).toBeLessThan(0.001);
});
