import { expect, test } from "vitest";
import { modelsCell } from "../../../src/cli/pages/stats-table.ts";
import { type Model, type ModelKey, modelKey } from "../../../src/domain/model.ts";
import { emptyTally, toModelStats } from "../../../src/domain/stats/stats.ts";
import { anEvaluation } from "../../fixtures/records/a-log-entry.ts";

const model = (key: string): Model => {
  const [providerKey = "", ...rest] = key.split("/");
  return { providerKey, model: rest.join("/") };
};

const rated = (accuracies: Readonly<Record<string, number | null>>) => {
  const models = Object.keys(accuracies).map(model);
  const stats = models.map((each) => {
    const key = modelKey(each);
    const accuracy = accuracies[key] ?? null;
    const tally = accuracy === null ? {} : { correct: accuracy * 10, wrong: 10 - accuracy * 10 };
    return [key, toModelStats({ ...emptyTally(), ...tally }, 10)] as const;
  });
  return anEvaluation({ models, stats: Object.fromEntries(stats) as Record<ModelKey, (typeof stats)[0][1]> });
};

test.each([
  ["the best model is first", { "a/low": 0.2, "a/high": 1 }, "100% high, 20.0% low"],
  ["one without any verdict is last", { "a/none": null, "a/low": 0 }, "0% low, – none"],
  ["folders of a name are left out", { "hf:x/org/Llama-3": 0.5 }, "50.0% Llama-3"],
  ["the same model of two providers has its whole name", { "a/m": 1, "b/m": 0 }, "100% a/m, 0% b/m"],
])("%s", (_what, accuracies, text) => {
  expect(modelsCell(rated(accuracies))[0]).toBe(text);
});

test("an evaluation that has no stats yet names its models alone", () => {
  const models = [model("a/one"), model("a/two")];
  expect(modelsCell(anEvaluation({ models, stats: null }))).toEqual(["one, two", "dim"]);
});
