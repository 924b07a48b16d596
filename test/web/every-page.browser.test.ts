import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { aDashboard, type Dashboard, openPage } from "../fixtures/browser/a-dashboard.ts";
import { storeDemo } from "../fixtures/browser/demo-evaluation.ts";
import { pacedEvaluation } from "../fixtures/browser/paced-evaluation.ts";
import { startCli } from "../fixtures/cli/start-cli.ts";

/** Every mark is looked at, which takes its time. */
const FEW = { problems: 6, trials: 2 };

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await aDashboard({ "evals/paced.eval.ts": pacedEvaluation("paced") }, async (store) => {
    await storeDemo(store, { ...FEW, id: "invoices-1", startedAt: "2026-03-01T06:00:00.000Z" });
    await storeDemo(store, { ...FEW, id: "invoices-2", tags: ["nightly"] });
    await storeDemo(store, { ...FEW, id: "half-1", name: "half", ended: 20 });
  });
  return dashboard.close;
});

const PAGES = [
  ["the list", "/", "half-1"],
  ["an evaluation", "/evaluations/invoices-2", "By tag"],
  ["one that runs", "/evaluations/half-1", "20 of 48"],
  ["a run", "/evaluations/invoices-2/runs/5", "calls readInvoice"],
  ["a run that has not ended", "/evaluations/half-1/runs/40", "has not ended yet"],
  ["two sides", "/compare?a=invoices-2&b=invoices-1", "calls readInvoice"],
  ["a trend", "/definitions/invoices", "invoices-2"],
  ["nothing", "/evaluations/nobody", "could not be shown"],
] as const;

/** What a reader with a screen reader, a keyboard or weak eyes would stumble over. */
async function obstacles(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join("; ")}`);
}

const overflow = (page: Page) => page.evaluate("document.documentElement.scrollWidth - innerWidth");

describe.each(PAGES)("%s", (_name, path, text) => {
  test("is for everybody, in light and dark, and fits a phone", async () => {
    const page = await dashboard.visit(path, { expected: /404/ });
    await page.getByText(text).first().waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await obstacles(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await overflow(page)).toBe(0);
  });
});

test("dialogs and the sign-in are for everybody too", async () => {
  const page = await dashboard.visit("/", { token: null, expected: /401/ });
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await obstacles(page)).toEqual([]);
  const signedIn = await dashboard.visit("/evaluations/invoices-2");
  await signedIn.getByRole("button", { name: "Start again…" }).click();
  expect(await obstacles(signedIn)).toEqual([]);
  await signedIn.keyboard.press("Escape");
  await signedIn.getByRole("dialog").waitFor({ state: "detached" });
});

test("a report opens from disk and has the same pages, and nothing to click that would need a server", async () => {
  const { cwd } = dashboard;
  const report = await startCli(["report", "invoices-2", "--out", "report.html"], { cwd }).exit;
  expect(report.code).toBe(0);
  const url = pathToFileURL(join(cwd, "report.html")).href;
  const page = await openPage(url);
  await page.goto(url);
  await page.getByRole("link", { name: "invoices-2" }).click();
  await page.getByText("By tag").first().waitFor();
  expect(await obstacles(page)).toEqual([]);
  expect(await page.getByRole("button", { name: /Cancel|Retry|Start/ }).count()).toBe(0);
  await page.getByRole("table", { name: "Problems and models" }).getByRole("link").first().click();
  await page.getByText("calls readInvoice").waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await overflow(page)).toBe(0);
});
