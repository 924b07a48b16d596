import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { RunContext } from "../../../src/agent/agent.ts";
import { nameProcess } from "../../../src/isolation/parent/processes.ts";
import { makeTempRoot, sweepTempRoots } from "../../../src/isolation/parent/temp-root.ts";
import { memoryStore } from "../../../src/store/memory/memory-store.ts";
import { aFolder } from "../../fixtures/files/a-folder.ts";
import { PATIENCE } from "../../fixtures/run/patience.ts";
import { runInProcess } from "../../fixtures/run/run-in-process.ts";

/** A name as the process with our number had it before this one. */
const ended = nameProcess().replace(/:\d+$/, ":1");

function aTempRoot(folder: string, name: string, owner: string | null): string {
  const root = join(folder, name);
  mkdirSync(join(root, "1/deep"), { recursive: true });
  writeFileSync(join(root, "1/deep/file"), "x");
  if (owner !== null) writeFileSync(join(root, "owner"), owner);
  return root;
}

test.each([
  ["of a process that has ended", "agent-evaluator-aB3dE6", ended, "goes"],
  ["of a process that still runs", "agent-evaluator-aB3dE6", nameProcess(), "stays"],
  ["of another machine", "agent-evaluator-aB3dE6", `elsewhere.1${ended}`, "stays"],
  ["of nobody", "agent-evaluator-aB3dE6", null, "stays"],
  ["of a strange owner", "agent-evaluator-aB3dE6", "::", "stays"],
  ["under another name", "agent-evaluator-1000", ended, "stays"],
])("a temp folder %s (%s, %s) %s", async (_, name, owner, what) => {
  const folder = aFolder();
  const root = aTempRoot(folder, name, owner);
  await sweepTempRoots(folder);
  expect(existsSync(root) ? "stays" : "goes").toBe(what);
});

test("an evaluation removes the temp folders of those that were killed", async () => {
  const folder = aFolder();
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const killed = aTempRoot(folder, "agent-evaluator-aB3dE6", ended);
  const own = makeTempRoot();
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  await vi.waitUntil(() => !existsSync(killed), PATIENCE);
  expect(readdirSync(own)).toEqual(["owner"]);
});

test("runs in this process have temp folders of their own in one that names it, and all go", async () => {
  const found: unknown[] = [];
  const folders: string[] = [];
  const buildAgent = () => (context: RunContext) => {
    folders.push(context.tempFolder);
    found.push([readdirSync(context.tempFolder), readFileSync(join(context.tempFolder, "../owner"), "utf8")]);
    return "done";
  };
  await runInProcess(memoryStore(), { problems: ["a", "b"], buildAgent });
  expect(found).toEqual([
    [[], nameProcess()],
    [[], nameProcess()],
  ]);
  expect(new Set(folders).size).toBe(2);
  expect(folders.map((folder) => existsSync(dirname(folder)))).toEqual([false, false]);
});
