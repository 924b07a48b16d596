/**
 * Stores entries, stops, goes on where it stopped, then pages and folds them all, through the store's contract.
 * Usage: store-work.ts sqlite <entries> <folder> | dynamo <entries> <table> <DynamoDB endpoint> <S3 endpoint>
 */
import { strict as assert } from "node:assert";
import { modelKey } from "../../src/domain/model.ts";
import { placeOfRun, runIdOf } from "../../src/domain/plan.ts";
import { VERDICT } from "../../src/domain/run/verdict.ts";
import { type ModelStats, StatsFold } from "../../src/domain/stats/stats.ts";
import type { Store } from "../../src/store/store.ts";
import { sha256 } from "../../src/system/digest.ts";
import { aBody, aLogEntry, anEvaluation, aProblem, problemPart } from "../fixtures/records/a-log-entry.ts";
import { openStore, requests } from "./store-backends.ts";

const [backend = "", count = "0", ...place] = process.argv.slice(2);
const entries = Number(count);
const RUNS_PER_PROBLEM = 10;
const AT_ONCE = 50;

const record = anEvaluation({
  models: [
    { providerKey: "scripted", model: "steady" },
    { providerKey: "scripted", model: "hasty" },
  ],
  trials: RUNS_PER_PROBLEM / 2,
  problemCount: entries / RUNS_PER_PROBLEM,
});

const problemAt = (position: number) =>
  aProblem({ id: `p${position}` as ReturnType<typeof aProblem>["id"], problem: `question ${position}` });

function* problems() {
  for (let position = 0; position < record.problemCount; position++) yield problemAt(position);
}

/** Every seventh answer is wrong, and answers take from 0 to 999 ms. */
function entryAt(index: number) {
  const where = placeOfRun(record, index);
  if (where === null) throw new Error(`the plan has no run ${index}`);
  const problem = problemAt(where.problem);
  const { model, trial } = where;
  return aLogEntry({
    index,
    runId: runIdOf(record.name, model, problem, trial, sha256),
    ...model,
    ...problemPart(problem),
    trial,
    correct: index % 7 !== 0,
    reason: `answer ${index} was compared with the expected one`,
    runtimeSeconds: (index % 1_000) / 1_000,
  });
}

async function save(store: Store, indexes: Iterable<number>): Promise<void> {
  let saving: Promise<unknown>[] = [];
  for (const index of indexes) {
    saving.push(store.saveEntry(entryAt(index), aBody()));
    if (saving.length < AT_ONCE) continue;
    await Promise.all(saving);
    saving = [];
  }
  await Promise.all(saving);
}

async function phase(name: string, count: number, work: () => Promise<void>): Promise<void> {
  const before = requests();
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const sent = Object.entries(requests())
    .map(([command, times]) => [command, times - (before[command] ?? 0)] as const)
    .filter(([, times]) => times > 0)
    .map(([command, times]) => `${((times / count) * 1_000).toFixed(0)} ${command}`);
  const rssMb = process.memoryUsage().rss / 1024 / 1024;
  console.log(
    [
      `${backend} ${name}`.padEnd(44),
      `${seconds.toFixed(1)} s`.padStart(9),
      `${((user + system) / count).toFixed(0)} µs of CPU each`.padStart(22),
      `${rssMb.toFixed(0)} MB`.padStart(8),
      sent.length === 0 ? "" : `  per 1,000: ${sent.join(", ")}`,
    ].join(""),
  );
}

/** Far from plan order, as runs end in whatever order they do. */
function* someOfThem() {
  for (let number = 0; number < entries * 0.6; number++) yield (number * 7_919) % entries;
}

async function* missing(store: Store) {
  for await (const { from, verdicts } of store.verdictRows(record.id)) {
    for (let at = 0; at < verdicts.length; at++) if (verdicts[at] === VERDICT.missing) yield from + at;
  }
}

const shown = entries.toLocaleString("en");
let store = await openStore(backend, place);
await store.createEvaluation(record, problems());
await phase(`6 of 10 of ${shown} entries stored`, entries * 0.6, () => save(store, someOfThem()));
await store.close();

store = await openStore(backend, place);
await phase("the rest found missing and stored", entries * 0.4, async () => {
  let lot: number[] = [];
  for await (const index of missing(store)) {
    lot.push(index);
    if (lot.length < AT_ONCE) continue;
    await save(store, lot);
    lot = [];
  }
  await save(store, lot);
});

await phase("paged, 500 at a time", entries, async () => {
  let next: string | null | undefined;
  let expected = 0;
  while (next !== null) {
    const page = await store.pageEntries(record.id, {}, { limit: 500, ...(next && { cursor: next }) });
    for (const { index } of page.items) assert.equal(index, expected++);
    next = page.next;
  }
  assert.equal(expected, entries);
});

await phase("folded into stats", entries, async () => {
  const fold = new StatsFold(record.models.map(modelKey), entries / 2);
  for await (const entry of store.entries(record.id)) fold.add(entry);
  const all = Object.values<ModelStats>(fold.stats());
  const sum = (pick: (stats: ModelStats) => number) => all.reduce((total, each) => total + pick(each), 0);
  assert.equal(
    sum(({ finished }) => finished),
    entries,
  );
  assert.equal(
    sum(({ wrong }) => wrong),
    Math.ceil(entries / 7),
  );
});

await phase("verdicts read for the grid", entries, async () => {
  let right = 0;
  for await (const { verdicts } of store.verdictRows(record.id)) right += verdicts.split("+").length - 1;
  assert.equal(right, entries - Math.ceil(entries / 7));
});

const { finished } = await store.progress(record.id);
assert.equal(finished, entries);
await store.close();
