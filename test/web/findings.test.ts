import { expect, test } from "vitest";
import type { ModelKey } from "../../src/domain/model.ts";
import { Outcomes } from "../../src/statistics/outcomes.ts";
import { evaluationReport } from "../../src/statistics/report.ts";
import { findFindings } from "../../src/web/data/findings.ts";
import type { GridRow } from "../../src/web/data/grid.ts";

const shape = { models: ["a/behind", "b/ahead", "c/alike"], trials: 1 };
const rowsOf = (verdicts: string, count: number): GridRow[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: `${verdicts}${at}`, verdicts, text: "", tags: [], place: at },
  }));

/** The best model has nine problems more and one less right than the first: p = 0.0215, by itself. */
const rows = [...rowsOf("-++", 9), ...rowsOf("+--", 1), ...rowsOf("+++", 10)];

test("the page shows of models what the table and the report show", () => {
  const ids = rows.map(({ id }) => id);
  const models = shape.models.map((key) => {
    const [providerKey = "", model = ""] = key.split("/");
    return { providerKey, model };
  });
  const outcomes = new Outcomes(shape.models as ModelKey[]);
  const verdicts = rows.map((row) => row.verdicts).join("");
  outcomes.addRow({ from: 0, verdicts }, { models, problemCount: rows.length, trials: 1 }, ids);
  const report = evaluationReport(outcomes);
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
