import { execFile } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadPacker } from "../../src/deploy/packer.ts";
import { aProject } from "../fixtures/files/a-project.ts";

const repository = join(import.meta.dirname, "../..");

/** A checkout of ours whose list of definitions has this text. */
function aCheckout(index: string): { root: string; index: string } {
  const root = aProject({ "package.json": "{}", "evals/index.ts": index });
  symlinkSync(join(repository, "src"), join(root, "src"));
  return { root, index: join(root, "evals/index.ts") };
}

const describeIndex = (text: string) => {
  const { root, index } = aCheckout(text);
  return loadPacker(root).describeDeployment(index);
};

test("definitions are read where the deployer's variables are not", async () => {
  const keys = [
    "AWS_SECRET_ACCESS_KEY",
    "PULUMI_CONFIG_PASSPHRASE",
    "SST_SECRET_OpenaiApiKey",
    "OPENAI_API_KEY",
  ];
  for (const name of keys) vi.stubEnv(name, "a-key");
  vi.stubEnv("NODE_OPTIONS", "--no-deprecation");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { root, index } = aCheckout(`
    import { writeFileSync } from "node:fs";
    writeFileSync(process.cwd() + "/seen.json", JSON.stringify(process.env));
    export default [];`);
  await expect(loadPacker(root).describeDeployment(index)).rejects.toThrow("not a list of definitions");
  const seen = JSON.parse(readFileSync(join(root, "seen.json"), "utf8"));
  expect(seen).toMatchObject({ PATH: process.env.PATH, HOME: process.env.HOME });
  expect(Object.keys(seen).filter((name) => keys.includes(name) || name === "NODE_OPTIONS")).toEqual([]);
  expect(Object.keys(seen).filter((name) => /^(?:AWS|PULUMI|SST|VITEST)_/.test(name))).toEqual([]);
});

test("what cannot be deployed is refused in the words of who found it", async () => {
  const refused = await describeIndex("export default [];").catch((error: unknown) => error);
  const message =
    "evals/index.ts cannot be deployed:\n  its default export is not a list of definitions; write `export default [first]`";
  expect(refused).toMatchObject({ code: "deployment.invalid", message });
});

test("a definition that throws is named with its line", async () => {
  const threw = describeIndex(`export default [];\nthrow new Error("no such model");`);
  await expect(threw).rejects.toThrow(/evals\/index\.ts threw while .*no such model.*evals\/index\.ts:2:7/s);
});

test("what ends the packer's process ends the deployment", async () => {
  const ended = describeIndex(`process.kill(process.pid, "SIGKILL"); export default [];`);
  await expect(ended).rejects.toThrow(/packer-process\.ts ended without an answer \(SIGKILL\)/);
});

test("a folder that cannot be written is told with its place", async () => {
  const packer = loadPacker(repository);
  const index = join(repository, "test/fixtures/stacks/packed/index.ts");
  await expect(packer.packDefinitions(index, index)).rejects.toThrow(/ENOTDIR|EEXIST/);
});

test("an older node in PATH is refused with what to do", async () => {
  const older = 'Object.defineProperty(process, "versions", { value: { node: "22.1.0" } });';
  const source = pathToFileURL(join(repository, "src/deploy/packer.ts")).href;
  const load = `const { loadPacker } = await import("${source}"); await loadPacker("/").describeDeployment("/");`;
  const args = ["--input-type=module", "--eval", older + load];
  const refused = promisify(execFile)(process.execPath, args);
  await expect(refused).rejects.toThrow(
    /needs Node 24 or newer in PATH; \S+ is Node 22\.1\.0\. Run `npm install/,
  );
});
