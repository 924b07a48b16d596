import { expect, test } from "vitest";
import { EvaluationId } from "../../../src/domain/ids.ts";
import { type ModelKey, modelKey } from "../../../src/domain/model.ts";
import type { LogEntry } from "../../../src/domain/run/log-entry.ts";
import { type ModelStats, StatsFold } from "../../../src/domain/stats/stats.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { aFolder } from "../../fixtures/files/a-folder.ts";
import { readLines, startChild } from "../../fixtures/processes/start-child.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

type AllStats = Readonly<Record<ModelKey, ModelStats>>;

const FILE = evalFile("steady");
const RUNS = 20;
const CONCURRENCY = 4;

const start = (folder: string, ...resume: string[]) =>
  startChild("run-and-print-steps.ts", [FILE, folder, ...resume]);

test("what was killed five times ends with the stats of an unbroken evaluation", async () => {
  const unbroken = await runUnbroken(aFolder());
  const folder = aFolder();
  const { id } = await killAt(folder, "started", 1);
  for (const saved of [1, 4, 9, 15]) await killAt(folder, "entry", saved, id);
  const kept = await readEntries(folder, id);
  const { code, stdout } = await runCli(["run", "--resume", id, "--store", folder, "--json", FILE], {
    cwd: process.cwd(),
  });
  expect(code).toBe(0);
  const document = JSON.parse(stdout) as { stats: AllStats; logs: LogEntry[] };
  const logs = await readEntries(folder, id);
  expect(logs).toHaveLength(RUNS);
  expect(logs.filter(({ runId }) => kept.some((entry) => entry.runId === runId))).toEqual(kept);
  expect(document.stats).toEqual(foldAll(logs));
  expect(withoutTimes(document.stats)).toEqual(withoutTimes(unbroken.stats));
  expect(logs.map(deterministic)).toEqual(unbroken.logs.map(deterministic));
  expect(new Set(logs.map(({ round }) => round))).toEqual(new Set([1]));
});

test("an evaluation that has ended has nothing left to resume", async () => {
  const folder = aFolder();
  const { id, stats, logs } = await runUnbroken(folder);
  const lines = await readLines(start(folder, id));
  expect(lines.filter((line) => line.startsWith("run "))).toEqual([]);
  expect(JSON.parse(lastWord(lines))).toEqual(stats);
  expect(await readEntries(folder, id)).toEqual(logs);
});

async function runUnbroken(folder: string) {
  const lines = await readLines(start(folder));
  const id = EvaluationId.parse(lines[0]?.split(" ")[1]);
  const stats = JSON.parse(lastWord(lines)) as AllStats;
  const logs = await readEntries(folder, id);
  expect(stats).toEqual(foldAll(logs));
  return { id, stats, logs };
}

/** Kills the evaluator when it has said a word so often, and sees that it kept its promises until then. */
async function killAt(folder: string, word: string, times: number, resume?: EvaluationId) {
  const known = resume === undefined ? new Set<string>() : await savedIn(folder, resume);
  const evaluator = resume === undefined ? start(folder) : start(folder, resume);
  const said: [word: string, id: string][] = [];
  for await (const line of evaluator.lines) {
    const [first = "", second = ""] = line.split(" ");
    said.push([first, second]);
    if (said.filter(([earlier]) => earlier === word).length === times) evaluator.kill();
  }
  expect(await evaluator.ended).toBe("");
  const id = EvaluationId.parse(said[0]?.[1]);
  const saved = await savedIn(folder, id);
  const named = (kind: string) =>
    new Set(said.filter(([first]) => first === kind).map(([, second]) => second));
  expect(named("entry").isSubsetOf(saved)).toBe(true);
  expect(named("run").isDisjointFrom(known)).toBe(true);
  expect(named("run").difference(saved).size).toBeLessThanOrEqual(CONCURRENCY);
  return { id };
}

const savedIn = async (folder: string, id: EvaluationId) =>
  new Set<string>((await readEntries(folder, id)).map(({ runId }) => runId));

async function readEntries(folder: string, id: EvaluationId): Promise<LogEntry[]> {
  const store = openSqliteStore(folder);
  const entries = await Array.fromAsync(store.entries(id));
  await store.close();
  return entries;
}

function foldAll(logs: readonly LogEntry[]): AllStats {
  const models = new Set(logs.map(modelKey));
  const fold = new StatsFold(models, RUNS / models.size);
  for (const entry of logs) fold.add(entry);
  return fold.stats();
}

const lastWord = (lines: readonly string[]): string => lines.at(-1)?.replace("stats ", "") ?? "";

/** All but how long things took, which no two evaluations share. */
function withoutTimes(stats: AllStats): unknown {
  const times = { totalRuntimeSeconds: null, p50RuntimeSeconds: null, p95RuntimeSeconds: null };
  return Object.entries(stats).map(([key, one]) => ({ ...one, ...times, key }));
}

const deterministic = ({
  runId,
  index,
  result,
  correct,
  score,
  failure,
  usage,
  costUsd,
  turns,
}: LogEntry) => ({
  ...{ runId, index, result, correct, score, failure, usage, costUsd, turns },
});
