import { describe, expect, test } from "vitest";
import type { ModelKey } from "../../src/domain/model.ts";
import { comparisonSentence } from "../../src/statistics/compare.ts";
import { Outcomes } from "../../src/statistics/outcomes.ts";
import { compareEvaluations, evaluationReport } from "../../src/statistics/report.ts";
import { wilsonInterval } from "../../src/statistics/shares.ts";
import { accuracyOf } from "../../src/web/data/display.ts";
import { compareSides, findFindings } from "../../src/web/data/findings.ts";
import type { GridRow } from "../../src/web/data/grid.ts";

const shape = { models: ["a/behind", "b/ahead", "c/alike"], trials: 1 };
const rowsOf = (verdicts: string, count: number): GridRow[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: `${verdicts}${at}`, verdicts, text: "", tags: [], place: at },
  }));

/** The best model has nine problems more and one less right than the first: p = 0.0215, by itself. */
const rows = [...rowsOf("-++", 9), ...rowsOf("+--", 1), ...rowsOf("+++", 10)];

/** The same rows as the command's tables read them. */
function outcomesOf(all: readonly GridRow[]): Outcomes {
  const models = shape.models.map((key) => {
    const [providerKey = "", model = ""] = key.split("/");
    return { providerKey, model };
  });
  const outcomes = new Outcomes(shape.models as ModelKey[]);
  const verdicts = all.map((row) => row.verdicts).join("");
  const ids = all.map(({ id }) => id);
  outcomes.addRow({ from: 0, verdicts }, { models, problemCount: all.length, trials: 1 }, ids);
  return outcomes;
}

test("the page shows of models what the table and the report show", () => {
  const report = evaluationReport(outcomesOf(rows));
  const findings = findFindings({ rows, shape });
  expect([findings.models, findings.rankingDoubts]).toEqual([report.models, report.rankingDoubts]);
  const [behind] = report.comparisons;
  expect(behind).toMatchObject({ first: "a/behind", second: "b/ahead", difference: -8 / 20 });
  const { low = 0, high = 0 } = behind?.interval ?? {};
  expect(findings.comparisons).toMatchObject([
    { other: "c/alike", difference: 0, verdict: "not distinguishable" },
    { other: "a/behind", difference: 8 / 20, interval: { low: -high, high: -low } },
  ]);
  const [, ahead] = findFindings({ rows: rowsOf("-++", 18), shape }).comparisons;
  expect(ahead).toMatchObject({ other: "a/behind", verdict: "better" });
});

test("of three models one pair is among three, whichever of them the page shows", () => {
  const [, behind] = findFindings({ rows, shape }).comparisons;
  expect(behind).toMatchObject({
    pValue: expect.closeTo(22 / 1_024, 9),
    adjustedP: expect.closeTo(66 / 1_024, 9),
    verdict: "not distinguishable",
  });
});

describe("the page that compares two sides", () => {
  const side = (id: string, model: string, isRunning = false) => ({ id, rows, shape, model, isRunning });

  test("judges a pair of one evaluation among all of its pairs, as the evaluation's page does", () => {
    const [, behind] = findFindings({ rows, shape }).comparisons;
    const sentence = compareSides(side("e1", "b/ahead"), side("e1", "a/behind"));
    expect(sentence).toContain(
      "No significant difference between A (b/ahead) and B (a/behind): +40.0 points",
    );
    expect(sentence).toContain(`p = 0.021, corrected ${behind?.adjustedP.toFixed(3)}`);
  });

  test("judges a model of two evaluations among all models that both have", () => {
    const wrong = rows.map((row) => ({ ...row, verdicts: "---" }));
    const shown = compareSides(side("e1", "b/ahead"), { ...side("e2", "b/ahead"), rows: wrong });
    const [, ahead] = compareEvaluations(
      { evaluation: "e1", outcomes: outcomesOf(rows), model: null },
      { evaluation: "e2", outcomes: outcomesOf(wrong), model: null },
    );
    if (ahead === undefined) throw new Error("there are three of them");
    expect(ahead).toMatchObject({ model: "b/ahead", adjustedP: expect.closeTo(3 * ahead.pValue, 12) });
    expect(shown).toBe(comparisonSentence("A (b/ahead)", "B (b/ahead)", ahead));
  });

  test("says only what was seen so far while one side runs", () => {
    expect(compareSides(side("e1", "b/ahead"), side("e2", "a/behind", true))).toBe(
      "A (b/ahead) against B (a/behind) so far: +40.0 points on 20 problems. " +
        "Whether that is statistically significant is only reported when all runs have ended.",
    );
    const verdicts = findFindings({ rows, shape }, true).comparisons.map(({ verdict }) => verdict);
    expect(verdicts).toEqual(["too early", "too early"]);
  });

  test("has nothing to say of a model that a side does not have", () => {
    expect(compareSides(side("e1", "b/ahead"), side("e2", "x/other"))).toBeNull();
  });
});

test("without verdicts by problem an accuracy is as sure as its problems, not as its trials", () => {
  const stats = {
    accuracy: 0.7,
    scored: 60,
    failuresByFault: { model: 0, code: 0, infrastructure: 0, stopped: 0 },
  };
  expect(accuracyOf(stats, 3)).toEqual({ value: 0.7, ...wilsonInterval(0.7, 20) });
  expect(accuracyOf(stats, 1)).toEqual({ value: 0.7, ...wilsonInterval(0.7, 60) });
});
