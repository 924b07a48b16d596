import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { measure } from "./measure.ts";
import { startModelServer } from "./model-server.ts";

// The command as it is installed; `npm run bench` builds it first.
const CLI = join(import.meta.dirname, "../../dist/cli/bin.cjs");
const evaluation = (name: string) => join(import.meta.dirname, "evals", `${name}.eval.ts`);
const folder = mkdtempSync(join(tmpdir(), "agent-evaluator-bench-"));
const server = await startModelServer();
let stores = 0;
let isOver = false;

/** Every number is a ratio of two measurements made here, one after the other: absolute times say nothing. */
function report(what: string, ratio: number, target: number, detail: string): void {
  const verdict = ratio <= target ? "met" : "OVER";
  isOver ||= ratio > target;
  console.log(
    `${what.padEnd(58)} ${ratio.toFixed(2)} ×  (at most ${target.toFixed(2)}, ${verdict})  ${detail}`,
  );
}

function evaluate(name: string, runs: number, flags: readonly string[] = []) {
  const store = join(folder, String(++stores));
  return measure(
    [
      "--disable-warning=ExperimentalWarning",
      CLI,
      "run",
      evaluation(name),
      "--quiet",
      "--store",
      store,
      ...flags,
    ],
    {
      BENCH_RUNS: String(runs),
      BENCH_BASE_URL: server.baseUrl,
    },
  );
}

async function wall(what: string, target: number, runs: number, latencyMs: number, flags: readonly string[]) {
  server.latencyMs = latencyMs;
  const { wallMs } = await evaluate("loopback", runs, ["--concurrency", "32", ...flags]);
  const idealMs = (runs * latencyMs) / 32;
  report(what, wallMs / idealMs, target, `${seconds(wallMs)} against ${seconds(idealMs)}`);
}

async function cpuPerRun() {
  server.latencyMs = 0;
  const empty = join(folder, "empty.mjs");
  const spawner = join(folder, "spawner.mjs");
  writeFileSync(empty, "");
  writeFileSync(
    spawner,
    `import { spawn } from "node:child_process";
    let left = 200;
    const next = () => left-- > 0 && spawn(process.execPath, [${JSON.stringify(empty)}]).on("close", next);
    for (let lane = 0; lane < 8; lane++) next();`,
  );
  const bare = await measure([spawner]);
  const ours = await evaluate("loopback", 200, ["--concurrency", "8"]);
  const again = await measure([spawner]);
  const bareMs = (bare.cpuMs + again.cpuMs) / 2 / 200;
  const detail = `${(ours.cpuMs / 200).toFixed(0)} ms against ${bareMs.toFixed(0)} ms`;
  report("200 runs × 0 s, process: CPU per run / bare spawn", ours.cpuMs / 200 / bareMs, 2, detail);
}

/** Medians of later starts: the first after a change bundles, and keeps it unless a file changed just now. */
async function cliStart() {
  await setTimeout(3_000);
  await evaluate("one-run", 1);
  const node: number[] = [];
  const cli: number[] = [];
  for (let round = 0; round < 5; round++) {
    node.push((await measure(["-e", "0"])).wallMs);
    cli.push((await evaluate("one-run", 1)).wallMs);
  }
  const detail = `${seconds(median(cli))} against ${seconds(median(node))}, medians of 5`;
  report("CLI, one scripted run: wall / node -e 0", median(cli) / median(node), 10, detail);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function memory() {
  const few = await evaluate("scripted", 1_000);
  const many = await evaluate("scripted", 10_000);
  if (many.peakRssMb === 0) return console.log("Parent RSS is read from /proc, which this system lacks.");
  const detail = `${many.peakRssMb.toFixed(0)} MB against ${few.peakRssMb.toFixed(0)} MB`;
  report("Parent RSS at 10,000 runs / at 1,000 runs", many.peakRssMb / few.peakRssMb, 1.3, detail);
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;

try {
  await cliStart();
  await cpuPerRun();
  await wall("320 runs × 2 s, concurrency 32, process: wall / ideal", 1.1, 320, 2_000, []);
  await wall("400 runs × 200 ms, concurrency 32, pool: wall / ideal", 1.6, 400, 200, ["--isolation", "pool"]);
  await memory();
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isOver ? 1 : 0;
