import { describe, expect, test } from "vitest";
import { ComparedEvaluations } from "../../src/api/answers.ts";
import { EvaluationId } from "../../src/domain/ids.ts";
import { storeEvaluation } from "../fixtures/records/a-stored-evaluation.ts";
import { anApi } from "./an-api.ts";

const right = { correct: true, failure: null };
const wrong = { correct: false, failure: null };

const ENDED = { status: "finished", endedAt: "2026-01-01T00:00:00.000Z" } as const;

/** Two evaluations of 12 problems: m0 is always right in both, m1 only in the newer one. */
async function twoEvaluations() {
  const api = await anApi();
  const better = () => right;
  await storeEvaluation(api.store, {
    id: "old-1",
    problems: 12,
    record: ENDED,
    entryOf: ({ model }) => (model.model === "m0" ? right : wrong),
  });
  await storeEvaluation(api.store, { id: "new-1", problems: 12, record: ENDED, entryOf: better });
  const compare = async (path: string) => {
    const response = await api.get(`/evaluations/${path}`);
    return ComparedEvaluations.parse(await response.json());
  };
  return { api, compare };
}

describe("a comparison", () => {
  test("of the models of one evaluation says whether they differ", async () => {
    const { compare } = await twoEvaluations();
    const { comparisons } = await compare("old-1/compare");
    expect(comparisons).toMatchObject([
      {
        model: "scripted/m0",
        baselineModel: "scripted/m1",
        verdict: "better",
        difference: 1,
        pairedProblems: 12,
      },
    ]);
  });

  test("with a baseline pairs the models that both have", async () => {
    const { compare } = await twoEvaluations();
    const { baseline, candidate, comparisons } = await compare("new-1/compare?baseline=old-1");
    expect([baseline, candidate]).toEqual(["old-1", "new-1"]);
    expect(comparisons.map(({ model, verdict, difference }) => [model, verdict, difference])).toEqual([
      ["scripted/m0", "not distinguishable", 0],
      ["scripted/m1", "better", 1],
    ]);
  });

  test("of two models that are named has the verdict that it has among all of the evaluation", async () => {
    const { compare } = await twoEvaluations();
    const [alone] = (await compare("old-1/compare?model=scripted/m1&baselineModel=scripted/m0")).comparisons;
    const [all] = (await compare("old-1/compare")).comparisons;
    expect(alone).toMatchObject({ verdict: "worse", difference: -1, adjustedP: all?.adjustedP });
  });

  test("of an evaluation that still runs has no verdict yet", async () => {
    const { api, compare } = await twoEvaluations();
    const record = await api.store.findEvaluation(EvaluationId.parse("old-1"));
    if (record === null) throw new Error("it is stored");
    await api.store.updateEvaluation({ ...record, status: "running", endedAt: null }, record);
    for (const path of ["old-1/compare", "new-1/compare?baseline=old-1"]) {
      const verdicts = (await compare(path)).comparisons.map(({ verdict }) => verdict);
      expect(new Set(verdicts), path).toEqual(new Set(["too early"]));
    }
  });

  test("of two models that are named is about those", async () => {
    const { compare } = await twoEvaluations();
    const query = "baseline=new-1&model=scripted/m1&baselineModel=scripted/m0";
    const { comparisons } = await compare(`old-1/compare?${query}`);
    expect(comparisons).toMatchObject([
      { model: "scripted/m1", baselineModel: "scripted/m0", verdict: "worse" },
    ]);
  });

  test("without anything in common is refused", async () => {
    const { api } = await twoEvaluations();
    const response = await api.get("/evaluations/new-1/compare?baseline=old-1&model=other/model");
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { code: "compare.nothing_in_common" } });
    expect((await api.get("/evaluations/new-1/compare?baseline=gone-1")).status).toBe(404);
  });
});
