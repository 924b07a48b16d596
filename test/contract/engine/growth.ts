import { expect, test } from "vitest";
import type { EvaluationRecord } from "../../../src/domain/evaluation.ts";
import type { EvaluationId } from "../../../src/domain/ids.ts";
import { placeOfRun } from "../../../src/domain/plan.ts";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import type { GrowRequest } from "../../../src/engine/engine.ts";
import type { Store } from "../../../src/store/store.ts";
import { doubles } from "../../fixtures/run/doubling-evaluation.ts";
import { evaluateSteadily } from "../../fixtures/run/evaluate-steadily.ts";

/** An engine with a store, to which definitions are given as they are at the time. */
export interface GrowingEngine {
  readonly store: Store;
  /** From nothing to its end. */
  run(options: EvaluationOptions): Promise<EvaluationRecord>;
  grow(options: EvaluationOptions, id: EvaluationId, request: GrowRequest): Promise<EvaluationRecord>;
}

const THIRDS: EvaluationOptions["models"] = [["scripted", "thirds"]];

/** Small, with one model and one trial; `ran` has every run that really took place. */
function aSmallOne(changes: Partial<EvaluationOptions> = {}) {
  const ran: string[] = [];
  const { buildAgent, ...rest } = doubles(6, { models: THIRDS, trials: 1, ...changes });
  const options: EvaluationOptions = {
    ...rest,
    buildAgent: (provider, model, tools, problem, variant) => {
      ran.push(`${model} ${problem}${variant === undefined ? "" : ` ${variant}`}`);
      return buildAgent(provider, model, tools, problem, variant);
    },
  };
  return { options, ran };
}

const moreProblems = doubles(9).problems;
const BOTH = doubles(0).models;

/** What every engine promises of an evaluation that grows. */
export function growthTests(open: () => Promise<GrowingEngine>): void {
  test.each<[what: string, change: Partial<EvaluationOptions>, request: GrowRequest, newRuns: number]>([
    ["trials", { trials: 3 }, { trials: 3 }, 12],
    ["models", { models: BOTH }, { models: ["scripted/fifths" as never] }, 6],
    ["problems", { problems: moreProblems }, { problems: [...(doubles(9).problems as [])].slice(6) }, 3],
    ["of everything", { models: BOTH, problems: moreProblems, trials: 2 }, { fromDefinition: true }, 30],
  ])(
    "more %s: only what is missing is run, and the stats are those of one evaluation",
    async (_w, change, request, newRuns) => {
      const engine = await open();
      const { options, ran } = aSmallOne();
      const first = await engine.run(options);
      const before = await Array.fromAsync(engine.store.entries(first.id));
      ran.length = 0;
      const record = await engine.grow({ ...options, ...change }, first.id, request);
      expect(ran).toHaveLength(newRuns);
      expect(record).toMatchObject({ status: "finished", grownFrom: first.id, round: 1 });
      expect(record.stats).toEqual(await evaluateSteadily({ ...options, ...change }));
      await expectInPlace(engine.store, record);
      expect(await Array.fromAsync(engine.store.entries(first.id))).toEqual(before);
      expect(await engine.store.findEvaluation(first.id)).toEqual(first);
    },
  );

  test("a further variant runs every model and problem, and nothing else runs again", async () => {
    const engine = await open();
    const { options, ran } = aSmallOne({ variants: { terse: "short" } });
    const first = await engine.run(options);
    expect(Object.keys(first.stats ?? {})).toEqual(["scripted/thirds@terse"]);
    ran.length = 0;
    const changed = { ...options, variants: { terse: "short", steps: "long" } };
    const record = await engine.grow(changed, first.id, { variants: ["steps"] });
    expect(ran.toSorted()).toEqual([0, 1, 2, 3, 4, 5].map((problem) => `thirds ${problem} long`));
    expect(record.stats).toEqual(await evaluateSteadily(changed));
  });

  test("failures are taken over, unless they are to be retried", async () => {
    const engine = await open();
    const { options, ran } = aSmallOne({ models: [["scripted", "fifths"]] });
    const first = await engine.run(options);
    ran.length = 0;
    await engine.grow(options, first.id, { trials: 2 });
    expect(ran).toHaveLength(6);
    ran.length = 0;
    await engine.grow(options, first.id, { trials: 2, retryFailed: true });
    expect(ran.toSorted()).toEqual([...[0, 0, 1, 2, 3, 4, 5, 5].map((problem) => `fifths ${problem}`)]);
  });

  test("a budget counts what was spent before it grew", async () => {
    const engine = await open();
    const { options, ran } = aSmallOne();
    const first = await engine.run(options);
    const spent = await engine.store.spent(first.id);
    expect(spent.tokens).toBe(6 * 14);
    ran.length = 0;
    const budget = { tokens: spent.tokens };
    const record = await engine.grow(options, first.id, { trials: 2, budget });
    expect([ran, record.status]).toEqual([[], "cancelled"]);
    const entries = await Array.fromAsync(engine.store.entries(record.id, { failed: false }));
    expect(entries).toHaveLength(6);
  });

  test("an evaluation grows more than once, and each holds the one before", async () => {
    const engine = await open();
    const { options, ran } = aSmallOne();
    const first = await engine.run(options);
    const second = await engine.grow(options, first.id, { trials: 2 });
    ran.length = 0;
    const third = await engine.grow({ ...options, models: BOTH }, second.id, { fromDefinition: true });
    expect(ran).toHaveLength(12);
    expect(third.stats).toEqual(await evaluateSteadily({ ...options, models: BOTH, trials: 2 }));
  });

  test("what was asked of it at its start stays with it: models, problems and tags", async () => {
    const engine = await open();
    const { options } = aSmallOne({ tags: ["mine"] });
    const first = await engine.run(options);
    const now = { ...options, models: BOTH, problems: moreProblems, tags: ["other"] };
    const record = await engine.grow(now, first.id, { trials: 2, tags: ["third"] });
    expect(record).toMatchObject({ models: first.models, problemCount: 6, trials: 2 });
    expect(record.tags).toEqual(["mine", "other", "third"]);
  });

  test.each<[GrowRequest]>([
    [{}],
    [{ trials: 1 }],
    [{ models: ["scripted/thirds" as never] }],
    [{ fromDefinition: true }],
  ])("%j is nothing more, and is refused", async (request) => {
    const engine = await open();
    const { options } = aSmallOne();
    const { id } = await engine.run(options);
    await expect(engine.grow(options, id, request)).rejects.toMatchObject({
      code: "evaluation.nothing_new",
    });
    expect(await engine.store.listEvaluations()).toHaveLength(1);
  });
}

/** Every planned run has its entry under the number that the plan gives it, with its own body. */
async function expectInPlace(store: Store, record: EvaluationRecord): Promise<void> {
  const problems = await Array.fromAsync(store.problems(record.id));
  const entries = await Array.fromAsync(store.entries(record.id));
  expect(entries.map(({ index }) => index)).toEqual(
    Array.from({ length: record.models.length * record.problemCount * record.trials }, (_, number) => number),
  );
  for (const { index, runId, round, model, problemId, trial, result } of entries) {
    const place = placeOfRun(record, index);
    expect([place?.model.model, problems[place?.problem ?? -1]?.id, place?.trial]).toEqual([
      model,
      problemId,
      trial,
    ]);
    const body = await store.readBody(record.id, runId, round, index);
    expect([body?.result, body?.transcript.length]).toEqual([result, 1]);
  }
}
