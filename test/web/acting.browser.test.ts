import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import { aDashboard, type Dashboard } from "../fixtures/browser/a-dashboard.ts";
import { letRun, pacedEvaluation } from "../fixtures/browser/paced-evaluation.ts";
import { TOKEN } from "../fixtures/browser/start-view.ts";
import { startCli } from "../fixtures/cli/start-cli.ts";
import { PATIENCE } from "../fixtures/run/patience.ts";

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await aDashboard({
    "evals/watched.eval.ts": pacedEvaluation("watched"),
    "evals/stopped.eval.ts": pacedEvaluation("stopped"),
  });
  return dashboard.close;
});

const status = (page: Page, words: string) =>
  page.locator("main .badge", { hasText: words }).first().waitFor();
const progress = (page: Page, words: string) => page.getByText(words, { exact: true }).first().waitFor();

test("a page follows an evaluation that another process runs, and keeps its place", async () => {
  const { cwd, visit } = dashboard;
  const page = await visit();
  await page.getByText("There are no evaluations yet.").waitFor();
  letRun(cwd, "watched", 10);
  const cli = startCli(["run", "evals/watched.eval.ts", "--quiet"], { cwd });
  await page.getByRole("link", { name: /^watched-/ }).click();
  await status(page, "running");
  await progress(page, "20 of 80");
  // Whoever looks often enough would see a difference that is none.
  await page.getByText(/so far: \S+ points on \d+ problems\./).waitFor();
  expect(await page.getByText(/significant difference|significantly/).count()).toBe(0);
  const grid = page.getByRole("table", { name: "Problems and models" });
  const mark = grid.getByRole("link", { name: "scripted/steady, 22, trial 1" });
  await grid.hover();
  await page.mouse.wheel(0, 600);
  await mark.focus();
  const before = await mark.boundingBox();
  letRun(cwd, "watched", 40);
  await status(page, "finished");
  await page.getByText(/significant difference: /).waitFor();
  await page
    .locator(":focus")
    .and(grid.getByRole("link", { name: "steady, 22, trial 1: correct" }))
    .waitFor();
  expect(await mark.boundingBox()).toEqual(before);
  await page.getByRole("row", { name: /scripted\/steady.*100%.*40\/40/ }).waitFor();
  expect((await cli.exit).code).toBe(0);
});

test("an evaluation is started, cancelled and retried from the page, and again with other models", async () => {
  const { cwd, visit } = dashboard;
  const page = await visit();
  let reached = 2;
  letRun(cwd, "stopped", reached);
  await page.getByRole("button", { name: "Start an evaluation" }).click();
  await page.getByRole("combobox", { name: "Evaluation" }).selectOption("stopped");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await progress(page, "4 of 80");
  await page.getByRole("button", { name: "Cancel" }).click();
  // Runs under way end as they are; the request is heard between them.
  await vi.waitFor(
    async () => {
      letRun(cwd, "stopped", ++reached);
      expect(await page.locator("main .badge").first().textContent()).toBe("cancelled");
    },
    { ...PATIENCE, interval: 500 },
  );
  letRun(cwd, "stopped", 40);
  await page.getByRole("button", { name: /missing$/ }).click();
  await status(page, "finished");
  await page.getByText("round 2").waitFor();

  writeFileSync(join(cwd, "repaired"), "");
  await page.getByRole("button", { name: "Retry 8 failed" }).click();
  await page.getByText("round 3").waitFor();
  await status(page, "finished");
  expect(await page.getByRole("button", { name: /^Retry/ }).count()).toBe(0);

  const first = page.url();
  await page.getByRole("button", { name: "Start again…" }).click();
  await page.getByLabel(/Models/).fill("scripted/steady");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL((url) => url.href !== first);
  await page.getByText("1 model ·").waitFor();
  await status(page, "finished");
});

test("a start that is refused says why", async () => {
  const page = await dashboard.visit("/", { expected: /422/ });
  await page.getByRole("button", { name: "Start an evaluation" }).click();
  await page.getByLabel(/Models/).fill("nobody/model");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("alert").getByText("nobody").waitFor();
});

test("without its token a page asks for it, and goes on where it was", async () => {
  const page = await dashboard.visit("/?q=watched", { token: "not-the-token-of-this", expected: /401/ });
  const field = page.getByLabel("Token");
  await page.getByText("The token is not the one of this API.").waitFor();
  await field.fill(TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: /^watched-/ }).waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("watched");
  expect(page.url()).not.toContain(TOKEN);
});
