import { beforeAll, expect, test } from "vitest";
import type { EvaluationRecord } from "../../src/domain/evaluation.ts";
import type { Store } from "../../src/store/store.ts";
import { aDashboard, type Dashboard } from "../fixtures/browser/a-dashboard.ts";
import { storeDemo } from "../fixtures/browser/demo-evaluation.ts";

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await aDashboard({}, async (store) => {
    const first = await storeDemo(store, { id: "invoices-1", problems: 2 });
    const grown = await storeDemo(store, { id: "invoices-2", problems: 4, isBare: true });
    await checkAgain(store, { ...grown, grownFrom: first.id, budget: { usd: 5, tokens: 10_000 } });
  });
  return dashboard.close;
});

/** Its first answer, in a round that only checks. */
async function checkAgain(store: Store, record: EvaluationRecord): Promise<void> {
  const recheck = { round: 2, fingerprint: null, runnerVersion: null, unchecked: 3 };
  await store.updateEvaluation({ ...record, round: 2, recheck });
  await store.addSpend(record.id, { nanoUsd: 120_000_000, tokens: 4_321 }, 0);
  for await (const entry of store.entries(record.id, { failed: false })) {
    const body = await store.readBody(record.id, entry.runId, 1, entry.index);
    if (body === null) throw new Error("the run has no body");
    await store.saveEntry({ ...entry, round: 2, recheckOf: 1, reason: "judged anew" }, body);
    return;
  }
}

test("an evaluation says what of its budget is spent, what it grew out of, and that it was checked again", async () => {
  const page = await dashboard.visit("/evaluations/invoices-2");
  await page.getByText("Budget: $0.12 of $5.00, 4.3k of 10.0k tokens").waitFor();
  await page.getByText("Results were checked again in round 2, except 3 results").waitFor();
  await page.getByText("Extended from").getByRole("link", { name: "invoices-1" }).click();
  await page.waitForURL(/\/evaluations\/invoices-1/);
  await page.getByRole("heading", { name: "invoices-1" }).waitFor();
  expect(await page.getByText("Budget:").count()).toBe(0);
});

test("a run that was checked again leads to the round in which its agent ran", async () => {
  const page = await dashboard.visit("/evaluations/invoices-2/runs/0");
  await page.getByText("judged anew").waitFor();
  await page.getByRole("button", { name: "round 1" }).click();
  await page.getByText("judged anew").waitFor({ state: "detached" });
  expect(await page.getByLabel("Round").inputValue()).toBe("1");
});
