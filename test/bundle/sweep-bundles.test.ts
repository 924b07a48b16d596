import { existsSync } from "node:fs";
import { lutimes, mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { bundleDefinition } from "../../src/bundle/build-bundle.ts";
import { sweepBundles } from "../../src/bundle/cache.ts";
import { aProject } from "../fixtures/files/a-project.ts";

const childModule = fileURLToPath(new URL("../fixtures/bundle/own/src/child.ts", import.meta.url));
const DAY_MS = 86_400_000;
const BUNDLE = `${"0a".repeat(16)}-01234567`;
const KEPT = "0b".repeat(32);

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sweep-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function put(path: string, days: number): Promise<void> {
  if (/\/kept\/|\.txt$/.test(path)) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "{}");
  } else {
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "bundle.cjs"), "");
  }
  await age(path, days);
}

function age(path: string, days: number): Promise<void> {
  const then = new Date(Date.now() - days * DAY_MS);
  return utimes(path, then, then);
}

test.each([
  [BUNDLE, 13, "stays"],
  [BUNDLE, 15, "goes"],
  [`kept/${KEPT}`, 13, "stays"],
  [`kept/${KEPT}`, 15, "goes"],
  [`kept/${KEPT}.4711-0a1b2c3d.tmp`, 0.5, "stays"],
  [`kept/${KEPT}.4711-0a1b2c3d.tmp`, 1.5, "goes"],
  ["kept/mine", 400, "stays"],
  ["somebody-elses", 400, "stays"],
  ["notes.txt", 400, "stays"],
])("%s that nobody used for %d days %s", async (name, days, what) => {
  const folder = await aFolder();
  await put(join(folder, name), days);
  await sweepBundles(folder);
  expect(existsSync(join(folder, name)) ? "stays" : "goes").toBe(what);
});

test("a link under a bundle's name is not followed", async () => {
  const [folder, elsewhere] = [await aFolder(), await aFolder()];
  await put(join(elsewhere, "notes.txt"), 400);
  await symlink(elsewhere, join(folder, BUNDLE));
  await lutimes(join(folder, BUNDLE), 0, 0);
  await sweepBundles(folder);
  expect(await readdir(folder)).toEqual([]);
  expect(await readdir(elsewhere)).toEqual(["notes.txt"]);
});

test("a folder that is not there is no trouble", async () => {
  await expect(sweepBundles(join(await aFolder(), "none"))).resolves.toBeUndefined();
});

test("a new bundle sweeps out what nobody used, and a use keeps its own", async () => {
  const folder = aProject({ "a.eval.ts": "export default 1", "b.eval.ts": "export default 2" });
  const outFolder = await aFolder();
  const bundle = (name: string) => bundleDefinition(join(folder, name), { childModule, outFolder });
  await settled(folder);
  const used = dirname((await bundle("a.eval.ts")).file);
  await age(used, 20);
  for (const name of await readdir(join(outFolder, "kept"))) await age(join(outFolder, "kept", name), 20);
  await put(join(outFolder, BUNDLE), 20);

  expect(dirname((await bundle("a.eval.ts")).file)).toBe(used);
  expect(existsSync(join(outFolder, BUNDLE))).toBe(true);

  await bundle("b.eval.ts");
  expect(existsSync(join(outFolder, BUNDLE))).toBe(false);
  expect(existsSync(used)).toBe(true);
  expect(await readdir(join(outFolder, "kept"))).toHaveLength(2);
});

test("a clock that is weeks ahead removes no bundle that was just made", async () => {
  const folder = aProject({ "a.eval.ts": "export default 1" });
  const outFolder = await aFolder();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 20 * DAY_MS });
  onTestFinished(() => void vi.useRealTimers());
  const { file } = await bundleDefinition(join(folder, "a.eval.ts"), { childModule, outFolder });
  expect(existsSync(file)).toBe(true);
});

/** What changed just now is never kept. */
async function settled(folder: string): Promise<void> {
  while (Date.now() - (await stat(folder)).ctimeMs < 2_200) await new Promise((go) => setTimeout(go, 50));
}
