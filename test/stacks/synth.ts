import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";
import type { Call } from "./fake-cli.ts";
import { preparePlatform } from "./prepare-platform.ts";

export interface Resource {
  readonly type: string;
  readonly name: string;
  readonly parent: string;
  readonly isProtected: boolean;
  readonly isRetained: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: what a resource is made from is AWS's to say, and tests say what they expect of it.
  readonly inputs: Readonly<Record<string, any>>;
}

export interface Synthesised {
  readonly app: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly calls: readonly Call[];
  /** The files of each function's package, by the function's name. */
  readonly packages: Readonly<Record<string, readonly string[]>>;
  readonly resources: readonly Resource[];
  readonly warnings: readonly string[];
}

export interface SynthOptions {
  readonly stage: string;
  /** As in `sst dev`. */
  readonly isLive?: boolean;
  readonly secrets?: Readonly<Record<string, string>>;
  /** The folder of evaluations to deploy; the repository's own by default. */
  readonly evals?: string;
  readonly hasDashboard?: boolean;
  /** A project to deploy as it is, in place of the repository. */
  readonly project?: string;
}

export interface SynthOrder {
  readonly stage: string;
  readonly isLive: boolean;
  readonly root: string;
  readonly work: string;
  readonly result: string;
}

const repository = join(import.meta.dirname, "../..");
const MAX_MS = 120_000;

/** Runs the real `sst.config.ts` on the real SST components, without AWS, in a process of its own. */
export async function synthesise(options: SynthOptions): Promise<Synthesised> {
  const {
    stage,
    isLive = false,
    secrets = { ApiToken: "a-token" },
    evals = join(repository, "evals"),
  } = options;
  const platform = await preparePlatform();
  const work = await mkdtemp(join(platform, "synth-"));
  try {
    const root =
      options.project ?? (await makeProject(join(work, "project"), evals, options.hasDashboard ?? false));
    const order: SynthOrder = { stage, isLive, root, work, result: join(work, "result.json") };
    const file = join(work, "synth.mjs");
    await bundle(file, platform, order);
    const given = Object.entries(secrets).map(([name, value]) => [`SST_SECRET_${name}`, value]);
    const env = { PATH: process.env.PATH, HOME: work, ...Object.fromEntries(given) };
    await promisify(execFile)(process.execPath, ["--no-deprecation", file], {
      cwd: root,
      timeout: MAX_MS,
      env,
    });
    return JSON.parse(await readFile(order.result, "utf8"));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The repository as seen from another place, with evaluations and a dashboard as a test wants them. */
async function makeProject(root: string, evals: string, hasDashboard: boolean): Promise<string> {
  await mkdir(join(root, "src"), { recursive: true });
  await symlink(evals, join(root, "evals"));
  const rooms = await readdir(join(repository, "src"));
  const linked = ["node_modules", "package.json", "stacks", "sst.config.ts", ".sst"];
  for (const name of [...linked, ...rooms.filter((room) => room !== "web").map((room) => `src/${room}`)])
    await symlink(join(repository, name), join(root, name));
  if (!hasDashboard) return root;
  for (const folder of ["src/web", "dist/web"]) {
    await mkdir(join(root, folder), { recursive: true });
    await writeFile(join(root, folder, "index.html"), "<!doctype html>");
  }
  return root;
}

/** The bundle that the SST command would make, with our own main program around it. */
async function bundle(outfile: string, platform: string, order: SynthOrder): Promise<void> {
  const named = (path: string) => JSON.stringify(path);
  const program = `
    import * as pulumi from "@pulumi/pulumi";
    import { run } from ${named(join(platform, "src/auto/run.ts"))};
    import config from ${named(join(order.root, "sst.config.ts"))};
    import { synthesise } from ${named(join(import.meta.dirname, "synth-child.ts"))};
    await synthesise({ pulumi, run, config }, ${JSON.stringify(order)});`;
  await build({
    stdin: { contents: program, resolveDir: order.root, loader: "ts", sourcefile: "synth-main.ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    mainFields: ["module", "main"],
    logLevel: "silent",
    nodePaths: [join(platform, "node_modules")],
    inject: [join(platform, "src/shim/run.js")],
    external: ["@pulumi/*", "@pulumiverse/*", "@sst-provider/*", "@aws-sdk/*", ...EXTERNAL],
    banner: { js: BANNER },
    plugins: [sstGlobals(platform)],
  });
}

const EXTERNAL = ["undici", "esbuild", "archiver", "glob", "vite"];
const BANNER = `
import { createRequire as topLevelCreateRequire } from "node:module";
const require = topLevelCreateRequire(import.meta.url);
const __filename = import.meta.filename, __dirname = import.meta.dirname;`;

/** The command puts these imports on top of every file outside its own folder, packages included. */
const sstGlobals = (platform: string): Plugin => ({
  name: "sst-globals",
  setup: (host) =>
    host.onLoad({ filter: /\.(?:js|ts|jsx|tsx)$/ }, async ({ path }) => {
      if (path.includes(".sst")) return undefined;
      const globals = `import * as aws from "@pulumi/aws"; import * as sst from "${platform}/src/components";`;
      return { contents: `${globals}\n${await readFile(path, "utf8")}`, loader: "default" };
    }),
});
