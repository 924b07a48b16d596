import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { aDashboard, type Dashboard } from "../fixtures/browser/a-dashboard.ts";
import { storeDemo } from "../fixtures/browser/demo-evaluation.ts";
import { storeHostile } from "../fixtures/browser/hostile-evaluation.ts";

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await aDashboard({}, async (store) => {
    await storeDemo(store, { id: "invoices-1", startedAt: "2026-03-01T06:00:00.000Z", tags: ["nightly"] });
    await storeDemo(store, { id: "invoices-2", problems: 10, startedAt: "2026-03-02T06:00:00.000Z" });
    await storeHostile(store);
  });
  return dashboard.close;
});

const shown = (page: Page) => page.locator("#problems + [role=status]");

const choice = (page: Page, name: string) => page.getByRole("combobox", { name: new RegExp(`^${name}`) });

async function download(page: Page, button: string): Promise<Buffer> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button, exact: true }).click(),
  ]);
  return readFile(await file.path());
}

test("the list is searched by any part of a name, a model, a status or a tag", async () => {
  const page = await dashboard.visit();
  const links = page.getByRole("link", { name: /^(?:invoices|hostile)-\d$/ });
  const search = page.getByRole("searchbox");
  await links.nth(2).waitFor();
  for (const [typed, found] of [
    ["voices", ["invoices-2", "invoices-1"]],
    ["demo/tin invoices-2", ["invoices-2"]],
    ["nightly", ["invoices-1"]],
    ["tag:nightly", ["invoices-1"]],
  ] as const) {
    await search.fill(typed);
    await links.nth(found.length).waitFor({ state: "detached" });
    await links.nth(found.length - 1).waitFor();
    expect(await links.allTextContents()).toEqual(found);
  }
  await search.fill("nobody");
  await page.getByText("No matches.").waitFor();
});

test("a filter is kept in the address and shows the same after a reload", async () => {
  const page = await dashboard.visit("/evaluations/invoices-1");
  await shown(page).getByText("40 of 40").waitFor();
  await choice(page, "Outcome").selectOption("failed");
  await choice(page, "Model").selectOption("demo/large");
  await choice(page, "Tag").selectOption("digital");
  await page.getByRole("searchbox").fill("invoice");
  await page.waitForURL(/outcome=failed.*text=invoice/);
  await shown(page).getByText("40 of 40").waitFor({ state: "detached" });
  const before = await shown(page).textContent();
  await page.reload();
  await shown(page).getByText(String(before)).waitFor();
  expect(await choice(page, "Outcome").inputValue()).toBe("failed");
  await page.getByRole("button", { name: "Show all" }).click();
  await shown(page).getByText("40 of 40").waitFor();
});

test("a run opens from the grid, and keys lead to those beside it and back", async () => {
  const page = await dashboard.visit("/evaluations/invoices-1?model=demo/medium&outcome=wrong");
  const grid = page.getByRole("table", { name: "Problems and models" });
  await grid.getByRole("link", { name: /wrong/ }).first().click();
  const title = page.getByRole("heading", { level: 1 });
  await title.getByText(/^demo\/medium on invoice-/).waitFor();
  await page.getByRole("region", { name: "Difference" }).locator("del").waitFor();
  await page.getByText("The first digit differs.").waitFor();
  await page.getByText("calls readInvoice").click();
  await page.getByRole("region", { name: "Input of readInvoice" }).getByText("invoice-").waitFor();
  const first = page.url();
  await page.keyboard.press("j");
  await page.waitForURL((url) => url.href !== first);
  expect(page.url()).toContain("outcome=wrong");
  await page.keyboard.press("k");
  await page.waitForURL(first);
  await page.keyboard.press("u");
  await grid.waitFor();
  expect(await choice(page, "Model").inputValue()).toBe("demo/medium");
});

test("two models, and two evaluations, stand side by side with what they differ on first", async () => {
  const page = await dashboard.visit("/evaluations/invoices-1");
  await page.getByRole("link", { name: "demo/large and demo/tiny" }).click();
  await page.getByText(/^A \(demo\/large\) is significantly better than B \(demo\/tiny\)/).waitFor();
  const pairs = page.getByRole("region", { name: "Problems of both" }).getByRole("button");
  expect(await pairs.first().textContent()).toMatch(/correct.*correct.*correct.*wrong.*wrong.*wrong/);
  await pairs.nth(2).click();
  await page.waitForURL(/problem=/);
  await page.getByRole("heading", { name: "demo/tiny" }).waitFor();
  await page.getByText("calls readInvoice").nth(1).waitFor();
  await page.getByRole("form", { name: "Side B" }).getByLabel("B: evaluation").fill("invoices-2");
  await page.waitForURL(/b=invoices-2/);
  await page.getByText(/10 problems/).waitFor();
});

test("everything can be taken along: logs as CSV and JSONL, charts as SVG and PNG", async () => {
  const page = await dashboard.visit("/evaluations/invoices-2");
  await page.locator("figure svg").waitFor();
  const csv = (await download(page, "CSV")).toString().trim().split("\r\n");
  expect([csv.length, csv[0]]).toEqual([
    121,
    expect.stringMatching(/^evaluationId,index,runId,round,model,problemId/),
  ]);
  const jsonl = (await download(page, "JSONL")).toString().trim().split("\n");
  expect(jsonl.map((line) => JSON.parse(line).index)).toEqual(Array.from({ length: 120 }, (_, at) => at));
  const svg = (await download(page, "SVG")).toString();
  expect(svg).toMatch(/^<svg[^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg".*demo\/medium/s);
  expect(svg).not.toContain("var(--");
  const png = await download(page, "PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.readUInt32BE(16)).toBeGreaterThan(400);
});

test("a definition's evaluations make a trend", async () => {
  const page = await dashboard.visit("/definitions/invoices");
  await page.locator("figure svg").nth(1).waitFor();
  expect(await page.getByRole("link", { name: /^invoices-/ }).allTextContents()).toEqual([
    "invoices-2",
    "invoices-1",
  ]);
});

describe("hostile content", () => {
  const INSTRUCTIONS = `(() => {
    const live = document.querySelectorAll("main script, main img, main iframe, main a[href^='javascript']");
    return [window.hacked, live.length, /[\\u001b\\u202e\\u2066]/.test(document.body.textContent)];
  })()`;

  test.each([
    ["/", "hostile-1"],
    ["/evaluations/hostile-1", "Problems"],
    ["/evaluations/hostile-1/runs/0", "stdout"],
    ["/compare?a=hostile-1", "Side by side"],
  ])("never becomes part of %s", async (path, text) => {
    const page = await dashboard.visit(path);
    await page.getByText(text).first().waitFor();
    for (const summary of await page.locator("main summary").all()) await summary.click();
    expect(await page.evaluate(INSTRUCTIONS)).toEqual([undefined, 0, false]);
  });

  test("of five megabytes in one line is shown in pieces", async () => {
    const page = await dashboard.visit("/evaluations/hostile-1/runs/0");
    await page.getByText("stdout").click();
    await page.getByRole("region", { name: "stdout", exact: true }).waitFor();
    expect(Number(await page.evaluate("document.body.textContent.length"))).toBeLessThan(300_000);
    const more = page.getByRole("button", { name: /^Show more/ }).last();
    const before = await more.textContent();
    await more.click();
    await more.getByText(String(before)).waitFor({ state: "detached" });
  });
});
