import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { type DemoModel, storeDemo } from "../fixtures/browser/demo-evaluation.ts";
import { closeBrowser, openBrowser } from "../fixtures/browser/open-browser.ts";
import { startView } from "../fixtures/browser/start-view.ts";

// The dashboard as it is installed; `npm run bench` builds it first.
const DIST = join(import.meta.dirname, "../../dist");
const VISITS = 7;
const SCROLLS = 60;

/** Times are ratios of two measurements made here, one after the other. */
function report(what: string, value: number, target: number, unit: string, detail = ""): void {
  const verdict = value <= target ? "met" : "OVER";
  if (value > target) process.exitCode = 1;
  console.log(`${what.padEnd(62)} ${value.toFixed(2)} ${unit}  (at most ${target}, ${verdict})  ${detail}`);
}

const someModels = (count: number): DemoModel[] =>
  Array.from({ length: count }, (_, at) => ({
    model: `model-${at + 1}`,
    skill: 0.9 - at * 0.02,
    costUsd: 0.001 * (at + 1),
    seconds: 1 + at,
  }));

async function fill(folder: string): Promise<void> {
  const store = openSqliteStore(join(folder, ".agent-evaluator"));
  const bare = { isBare: true, trials: 1 };
  await storeDemo(store, { ...bare, id: "few-1", name: "few", models: someModels(5), problems: 20 });
  await storeDemo(store, { ...bare, id: "many-1", name: "many", models: someModels(20), problems: 5_000 });
  await store.close();
}

interface Visit {
  readonly leaderboardMs: number;
  readonly gridMs: number;
}

/** In a window of its own, which has nothing in its cache. */
async function visit(address: string, then: (page: Page) => Promise<void> = async () => {}): Promise<Visit> {
  const context = await (await openBrowser()).newContext({ viewport: { width: 1400, height: 1000 } });
  const page = await context.newPage();
  const startedMs = performance.now();
  await page.goto(address, { waitUntil: "commit" });
  await page.locator("table.wide tbody tr").first().waitFor();
  const leaderboardMs = performance.now() - startedMs;
  await page.locator(".grid .cell a").first().waitFor();
  const gridMs = performance.now() - startedMs;
  await then(page);
  await context.close();
  return { leaderboardMs, gridMs };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function compareVisits(addressOf: (page: string) => string): Promise<void> {
  const visits: Record<"few" | "many", Visit[]> = { few: [], many: [] };
  for (let round = 0; round < VISITS; round++) {
    for (const name of ["few", "many"] as const)
      visits[name].push(await visit(addressOf(`/evaluations/${name}-1`)));
  }
  for (const [what, target, pick] of [
    ["Leaderboard of 100,000 runs visible / of 100", 3, (each: Visit) => each.leaderboardMs],
    ["Grid of 20 × 5,000 visible / of 5 × 20", 5, (each: Visit) => each.gridMs],
  ] as const) {
    const [many, few] = [median(visits.many.map(pick)), median(visits.few.map(pick))];
    report(what, many / few, target, "×", `${many.toFixed(0)} ms against ${few.toFixed(0)} ms`);
  }
}

/**
 * Scrolls through the whole grid and tells the longest task of the page. It is counted as the browser counts it, in time
 * of the processor, because other work on this machine only makes a task wait.
 */
async function scroll(address: string): Promise<void> {
  await visit(address, async (page) => {
    await page.getByText("By tag").first().waitFor();
    await page.locator(".grid").hover();
    const browser = await openBrowser();
    await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline"] });
    for (let at = 0; at < SCROLLS; at++) await page.mouse.wheel(at < SCROLLS / 2 ? 20 : -20, 3_000);
    const { longestMs, tasks } = readTasks(await browser.stopTracing());
    report("Longest task while scrolling through 20 × 5,000", longestMs, 100, "ms", `of ${tasks} tasks`);
  });
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The tasks of the threads on which pages run. */
function readTasks(trace: Buffer): { longestMs: number; tasks: number } {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] };
  const placeOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const isMain = ({ name, args }: TraceEvent) => name === "thread_name" && args.name === "CrRendererMain";
  const threads = new Set(traceEvents.filter(isMain).map(placeOf));
  const tasks = traceEvents.filter((event) => event.name === "RunTask" && threads.has(placeOf(event)));
  return { longestMs: Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000, tasks: tasks.length };
}

function initialScript(): void {
  const page = readFileSync(join(DIST, "web/index.html"), "utf8");
  const scripts = [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.js)"/g)].map(([, file = ""]) => file);
  const bytes = scripts.reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(DIST, "web", file))).length,
    0,
  );
  report("Initial JavaScript, compressed", bytes / 1_024, 200, "KB", scripts.join(", "));
}

const folder = mkdtempSync(join(tmpdir(), "agent-evaluator-bench-"));
try {
  initialScript();
  await fill(folder);
  const view = await startView(folder, join(DIST, "cli/bin.cjs"));
  try {
    await compareVisits(view.addressOf);
    await scroll(view.addressOf("/evaluations/many-1"));
  } finally {
    await closeBrowser();
    await view.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
