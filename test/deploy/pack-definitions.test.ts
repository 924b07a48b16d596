import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type OpenDefinitions, openDefinitions } from "../../src/deploy/definitions.ts";
import { packDefinitions } from "../../src/deploy/pack-definitions.ts";
import type { LogEntry } from "../../src/domain/run/log-entry.ts";
import { runEvaluation } from "../../src/local/run-evaluation.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { aProject, makeProject, removeProject } from "../fixtures/files/a-project.ts";

const repository = join(import.meta.dirname, "../..");
const index = join(repository, "test/fixtures/stacks/packed/index.ts");

let task: string;
let packed: OpenDefinitions;

beforeAll(async () => {
  task = makeProject();
  await packDefinitions(index, task, task);
  packed = await openDefinitions(join(task, "definitions"));
  return () => removeProject(task);
});

test("a package knows its definitions, and has their data", async () => {
  expect(packed.names).toEqual(["packed"]);
  expect(existsSync(join(task, "test/fixtures/stacks/packed/capitals.json"))).toBe(true);
  await expect(packed.load("other")).rejects.toThrow('there is no definition "other"; deployed are packed');
});

test("a package brings what reads its datasets", async () => {
  const folder = aProject();
  await packDefinitions(join(repository, "test/fixtures/stacks/with-data/index.ts"), folder, folder);
  const { load } = await openDefinitions(join(folder, "definitions"));
  const { options } = await load("sums");
  expect(await Array.fromAsync(options.problems, (item) => Object(item).problem)).toEqual([
    "1 + 1",
    "20 + 22",
    "1000 + 1",
  ]);
  expect(existsSync(join(folder, "src/datasets/read-files.ts"))).toBe(true);
});

test("a definition that could not be loaded is loaded again when it is next asked for", async () => {
  const folder = aProject();
  await packDefinitions(index, folder, folder);
  const { load } = await openDefinitions(join(folder, "definitions"));
  const definitions = join(folder, "definitions");
  await rename(definitions, `${definitions}-away`);
  await expect(load("packed")).rejects.toThrow("Cannot find module");
  await rename(`${definitions}-away`, definitions);
  await expect(load("packed")).resolves.toMatchObject({ options: { name: "packed" } });
});

test("the runner knows a definition without loading it where the account's keys are", async () => {
  const folder = aProject();
  await packDefinitions(join(repository, "test/fixtures/stacks/counted/index.ts"), folder, folder);
  const loads = () => Reflect.get(globalThis, "definitionLoads");
  const before = loads();
  const { describe, load } = await openDefinitions(join(folder, "definitions"));
  const { options, bundle } = await describe("counted");
  expect(loads()).toBe(before);
  expect(options).toMatchObject({ name: "counted", env: ["REGION"], problems: [] });
  expect(options.prices).toEqual({ "scripted/none": { input: 1, output: 2 } });
  expect(options.permissions?.read).toEqual([expect.stringMatching(new RegExp(`^${folder}.*/data$`))]);
  expect(options.buildAgent).toBeTypeOf("function");
  expect(bundle.fingerprint).toMatch(/^[0-9a-f]+$/);
  await load("counted");
  expect(loads()).toBe(before + 1);
});

test("a package names no place of the machine that made it", async () => {
  for (const file of globSync("definitions/**", { cwd: task, withFileTypes: true })) {
    if (!file.isFile()) continue;
    expect(await readFile(join(file.parentPath, file.name), "utf8")).not.toContain(repository);
  }
});

describe("runs from a package", () => {
  test("find their data and their packages, in processes that may read nothing else", async () => {
    const { bundle } = await packed.load("packed");
    expect(bundle.readable.every((path) => path.startsWith(task))).toBe(true);
    const entries = await runPacked();
    expect(
      entries.map(({ problemId, correct, result }) => [problemId, correct, Object(result).value]),
    ).toEqual([
      ["peru", true, "done"],
      ["france", true, "done"],
      ["atlantis", null, undefined],
    ]);
  });

  test("fail at a line of the user's file", async () => {
    const failure = (await runPacked())[2]?.failure;
    expect(failure?.cause).toBe("agent_error");
    expect(failure?.message).toMatch(/no capital of Atlantis.*packed\.eval\.ts:17:38/s);
  });

  async function runPacked(): Promise<readonly LogEntry[]> {
    const { options, bundle } = await packed.load("packed");
    const entries: LogEntry[] = [];
    const listener = { entry: (entry: LogEntry) => void entries.push(entry) };
    await runEvaluation({ options, bundle, file: null, store: memoryStore(), listener });
    return entries.toSorted((a, b) => a.index - b.index);
  }
});

test("the code is the same code as on a laptop", async () => {
  const here = await openDefinitions(index);
  const [there, laptop] = await Promise.all([packed.load("packed"), here.load("packed")]);
  expect(there.bundle.fingerprint).toBe(laptop.bundle.fingerprint);
});

test("the reaper of a package ends with its parent's pipe", async () => {
  const started = promisify(execFile)(process.execPath, [join(task, "isolation/reaper.js"), "token", task], {
    env: {},
  });
  started.child.stdin?.end("bye\n");
  onTestFinished(() => void started.child.kill("SIGKILL"));
  expect(await started).toEqual({ stdout: "", stderr: "" });
});
