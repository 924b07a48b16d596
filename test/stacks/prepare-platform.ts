import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { bun } from "../fixtures/processes/bun.ts";

const root = join(import.meta.dirname, "../..");
const platform = join(root, ".sst/platform");
const MINUTES = 60_000;

/** Has SST unpack its components into `.sst/platform`, as `sst install` does, from npm packages alone. */
export async function preparePlatform(): Promise<string> {
  if (await isReady()) return platform;
  await mkdir(join(root, ".sst"), { recursive: true });
  // Made elsewhere and moved into place: several may prepare it at once, and nobody sees half of it.
  const stage = await mkdtemp(join(root, ".sst/prepare-"));
  try {
    await install(stage);
    await moveIntoPlace(stage);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
  return platform;
}

async function isReady(): Promise<boolean> {
  const wanted = JSON.parse(await readFile(join(root, "node_modules/sst/package.json"), "utf8")).version;
  const found = await readFile(join(platform, "version"), "utf8").catch(() => "");
  return found.trim() === wanted && existsSync(join(platform, "config.d.ts"));
}

async function moveIntoPlace(stage: string): Promise<void> {
  const made = join(stage, ".sst/platform");
  try {
    await rename(made, platform);
  } catch {
    if (await isReady()) return;
    await rename(platform, join(stage, "of-another-version"));
    await rename(made, platform);
  }
}

async function install(folder: string): Promise<void> {
  const app = '{ name: "prepare", home: "aws" }';
  await writeFile(
    join(folder, "sst.config.ts"),
    `export default $config({ app: () => (${app}), run() {} });\n`,
  );
  await promisify(execFile)(join(root, "node_modules/.bin/sst"), ["install"], {
    cwd: folder,
    timeout: 5 * MINUTES,
    env: {
      ...process.env,
      PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}`,
      SST_BUN_PATH: bun(),
      // It would fetch Pulumi's engine, which only a deployment needs.
      SST_SKIP_DEPENDENCY_CHECK: "1",
      SST_TELEMETRY_DISABLED: "1",
      SST_STAGE: "prepare",
    },
  });
}

if (import.meta.main) await preparePlatform();
