/** Usage: npm run screenshots. Draws the README's pictures from a demo evaluation that never ran. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { storeDemo } from "../fixtures/browser/demo-evaluation.ts";
import { closeBrowser, openBrowser } from "../fixtures/browser/open-browser.ts";
import { startView } from "../fixtures/browser/start-view.ts";

const PLACE = join(import.meta.dirname, "../../src/web/screenshots");
const EVALUATION = "invoices-20260302-060000";

interface Shot {
  readonly file: string;
  readonly colorScheme: "light" | "dark";
  /** What is clicked first. */
  readonly click?: string;
  /** What the picture must show. */
  readonly ready: string;
}

const SHOTS: readonly Shot[] = [
  { file: "evaluation.png", colorScheme: "light", ready: "figure svg" },
  { file: "run.png", colorScheme: "dark", click: "a.mark.wrong", ready: "pre del" },
];

const folder = mkdtempSync(join(tmpdir(), "agent-evaluator-screenshots-"));
try {
  const store = openSqliteStore(join(folder, ".agent-evaluator"));
  await storeDemo(store, { id: EVALUATION, tags: ["nightly"] });
  await store.close();
  const view = await startView(folder);
  const browser = await openBrowser();
  for (const { file, colorScheme, click, ready } of SHOTS) {
    const page = await browser.newPage({ viewport: { width: 1180, height: 720 }, colorScheme });
    await page.goto(view.addressOf(`/evaluations/${EVALUATION}`));
    await page.getByText("By tag").first().waitFor();
    if (click !== undefined) await page.locator(click).first().click();
    await page.locator(ready).first().waitFor();
    await page.screenshot({ path: join(PLACE, file) });
    await page.close();
  }
  await closeBrowser();
  await view.stop();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
