import { describe, expect, test } from "vitest";
import { ComparedEvaluations } from "../../src/api/answers.ts";
import { storeEvaluation } from "../fixtures/records/a-stored-evaluation.ts";
import { anApi } from "./an-api.ts";

const right = { correct: true, failure: null };
const wrong = { correct: false, failure: null };

/** Two evaluations of 12 problems: m0 is always right in both, m1 only in the newer one. */
async function twoEvaluations() {
  const api = await anApi();
  const better = () => right;
  await storeEvaluation(api.store, {
    id: "old-1",
    problems: 12,
    entryOf: ({ model }) => (model.model === "m0" ? right : wrong),
  });
  await storeEvaluation(api.store, { id: "new-1", problems: 12, entryOf: better });
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

  test("of two models that are named is about those alone", async () => {
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
