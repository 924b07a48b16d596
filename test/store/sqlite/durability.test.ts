import { chmodSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { collect } from "../../contract/store/collect.ts";
import { aFolder } from "../../fixtures/files/a-folder.ts";
import { type Child, readLines, startChild } from "../../fixtures/processes/start-child.ts";
import { aBody, aLogEntry, anEvaluation, aProblem, aRunId } from "../../fixtures/records/a-log-entry.ts";
import { printed } from "../../fixtures/records/captured-output.ts";
import { PATIENCE } from "../../fixtures/run/patience.ts";

const { id } = anEvaluation();

test("what was saved before a kill -9 is there afterwards", async () => {
  const folder = aFolder();
  const saved: number[] = [];
  for (const [attempt, enough] of [1, 15, 40, 70, 25].entries()) {
    const from = attempt * 100_000;
    const writer = startChild("write-entries.ts", [folder, "w", String(from), String(from + 100_000)]);
    saved.push(...(await killAfter(writer, enough)));
    await expectAll(folder, saved);
  }
});

test("two processes write one new store while a third reads it", async () => {
  const folder = aFolder();
  const writers = ["ann", "bob"].map((name) => startChild("write-entries.ts", [folder, name, "0", "300"]));
  const writing = Promise.all(writers.map(readLines));
  const seen = await readUntil(folder, writing);
  const answers = (await writing).flat();
  const indexes = [...Array(300).keys()];
  expect(answers.filter((line) => line.startsWith("saved ")).sort()).toEqual(
    indexes.map((index) => `saved ${index}`).sort(),
  );
  expect(answers.filter((line) => line.startsWith("already-there "))).toHaveLength(300);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  await expectAll(folder, indexes);
});

test("processes that open a new store at once all get it", async () => {
  for (let round = 0; round < 3; round++) {
    const folder = aFolder();
    const writers = Array.from({ length: 5 }, (_, number) =>
      startChild("write-entries.ts", [folder, `w${number}`, String(number), String(number + 1)]),
    );
    expect((await Promise.all(writers.map(readLines))).flat().sort()).toEqual(
      writers.map((_, number) => `saved ${number}`),
    );
  }
});

async function killAfter(writer: Child, enough: number): Promise<number[]> {
  const saved: number[] = [];
  for await (const line of writer.lines) {
    saved.push(Number(line.replace("saved ", "")));
    if (saved.length === enough) writer.kill();
  }
  expect(await writer.ended).toBe("");
  expect(saved.length).toBeGreaterThanOrEqual(enough);
  return saved;
}

/** How many entries each reading found, until the writers are done. */
async function readUntil(folder: string, writing: Promise<unknown>): Promise<number[]> {
  const store = openSqliteStore(folder);
  const counts: number[] = [];
  let done = false;
  const noteEnd = () => {
    done = true;
  };
  writing.then(noteEnd, noteEnd);
  while (!done) counts.push((await collect(store.entries(id))).length);
  await store.close();
  return counts;
}

async function expectAll(folder: string, indexes: readonly number[]): Promise<void> {
  const store = openSqliteStore(folder);
  const found = new Map((await collect(store.entries(id))).map((entry) => [entry.index, entry]));
  const lost = indexes.filter((index) => !found.has(index));
  expect(lost).toEqual([]);
  for (const index of indexes) {
    const body = await store.readBody(id, aRunId(index), 1);
    expect(body?.stdout.head).toBe(found.get(index)?.reason);
  }
  await store.close();
}

test("bodies that a killed process left half written go, and those being written stay", async () => {
  const folder = aFolder();
  const drafts = join(folder, "drafts");
  mkdirSync(drafts);
  for (const name of ["old.1-0a.tmp", "new.2-0b.tmp"]) writeFileSync(join(drafts, name), "{");
  utimesSync(join(drafts, "old.1-0a.tmp"), 0, 0);
  await openSqliteStore(folder).close();
  await vi.waitUntil(() => readdirSync(drafts).length === 1, PATIENCE);
  expect(readdirSync(drafts)).toEqual(["new.2-0b.tmp"]);
});

test("a new store is for this user alone, and an old one keeps its rights", async () => {
  const folder = join(aFolder(), "store");
  const modes = () =>
    ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].map((name) => {
      const found = statSync(join(folder, name));
      return [name, (found.mode & 0o777).toString(8), found.isDirectory()];
    });
  const store = openSqliteStore(folder);
  await store.createEvaluation(anEvaluation(), [aProblem()]);
  await store.saveEntry(aLogEntry(), aBody({ stdout: printed("x".repeat(20_000)) }));
  const found = modes();
  expect(found.length).toBeGreaterThan(6);
  for (const [name, mode, isFolder] of found) expect([name, mode]).toEqual([name, isFolder ? "700" : "600"]);
  await store.close();

  chmodSync(folder, 0o750);
  chmodSync(join(folder, "evaluations.sqlite"), 0o640);
  await openSqliteStore(folder).close();
  expect(modes()).toEqual(
    expect.arrayContaining([
      ["", "750", true],
      ["evaluations.sqlite", "640", false],
    ]),
  );
});
