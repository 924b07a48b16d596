import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";
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
  /** What the program imports when it runs, and every file that it had loaded when it ended. */
  readonly imports: readonly string[];
  readonly loaded: readonly string[];
}

export interface SynthOptions {
  readonly stage: string;
  /** As in `sst dev`. */
  readonly isLive?: boolean;
  readonly secrets?: Readonly<Record<string, string>>;
  /** The folder of evaluations to deploy; the repository's own by default. */
  readonly evals?: string;
  readonly hasDashboard?: boolean;
  /** How many functions the account runs at once. */
  readonly concurrencyQuota?: number;
  /** A project to deploy as it is, in place of the repository. */
  readonly project?: string;
}

export interface SynthOrder {
  readonly stage: string;
  readonly concurrencyQuota: number;
  readonly isLive: boolean;
  readonly root: string;
  readonly work: string;
  readonly result: string;
}

const repository = join(import.meta.dirname, "../..");
const MAX_MS = 590_000;

/** Runs the real `sst.config.ts` on the real SST components, without AWS, in a process of its own. */
export async function synthesise(options: SynthOptions): Promise<Synthesised> {
  const {
    stage,
    isLive = false,
    concurrencyQuota = 1_000,
    secrets = { ApiToken: "a-token" },
    evals = join(repository, "evals"),
  } = options;
  const platform = await preparePlatform();
  const work = await mkdtemp(join(platform, "synth-"));
  // Where the command puts it: what Pulumi does with a program depends on the files beside it.
  const program = join(platform, `sst.config.${basename(work)}.mjs`);
  try {
    const root =
      options.project ?? (await makeProject(join(work, "project"), evals, options.hasDashboard ?? false));
    const order: SynthOrder = {
      ...{ stage, isLive, concurrencyQuota, root, work },
      result: join(work, "result.json"),
    };
    const prepare = join(work, "prepare.mjs");
    const [imports] = await Promise.all([
      bundleProgram(program, platform, order),
      bundlePreparation(prepare, platform, order),
    ]);
    const given = Object.entries(secrets).map(([name, value]) => [`SST_SECRET_${name}`, value]);
    await startAsPulumi(program, { prepare, platform, env: { HOME: work, ...Object.fromEntries(given) } });
    return { ...JSON.parse(await readFile(order.result, "utf8")), imports };
  } finally {
    await Promise.all(
      [work, program, `${program}.map`].map((path) => rm(path, { recursive: true, force: true })),
    );
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

/** The program that the SST command would make; answers with what it still has to load when it runs. */
async function bundleProgram(
  outfile: string,
  platform: string,
  order: SynthOrder,
): Promise<readonly string[]> {
  const { stage, root } = order;
  const { metafile } = await build({
    stdin: {
      contents: `
        import { run } from ${JSON.stringify(join(platform, "src/auto/run.ts"))};
        import config from ${JSON.stringify(join(root, "sst.config.ts"))};
        const stage = ${JSON.stringify(stage)};
        globalThis.$app = { removal: "retain", protect: false, ...(await config.app({ stage })), stage };
        export default await run(config.run);`,
      resolveDir: root,
      loader: "ts",
      sourcefile: "eval.ts",
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    mainFields: ["module", "main"],
    sourcemap: "linked",
    metafile: true,
    logLevel: "silent",
    nodePaths: [join(platform, "node_modules")],
    inject: [join(platform, "src/shim/run.js")],
    external: ["@pulumi/*", "@pulumiverse/*", "@sst-provider/*", "@aws-sdk/*", ...EXTERNAL],
    banner: { js: BANNER },
    plugins: [sstGlobals(platform)],
  });
  const [made] = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint !== undefined);
  const named = (made?.imports ?? []).map(({ path }) => path).filter((path) => !isBuiltin(path));
  return [...new Set([...named, ...computedImports(await readFile(outfile, "utf8"))])].toSorted();
}

/** Those whose name only the running program knows, as they are written. */
function computedImports(program: string): readonly string[] {
  const found: string[] = [];
  const keep = (node: ESTree.Node, named: ESTree.Node | undefined) => {
    if (named?.type !== "Literal") found.push(program.slice(node.start, node.end));
  };
  new Visitor({
    ImportExpression(node) {
      keep(node, node.source);
    },
    CallExpression(node) {
      const isRequire = node.callee.type === "Identifier" && node.callee.name === "require";
      if (isRequire) keep(node, node.arguments[0]);
    },
  }).visit(parseSync("program.mjs", program).program);
  return found;
}

/** What stands in for Pulumi's engine, for SST's command and for AWS. */
async function bundlePreparation(outfile: string, platform: string, order: SynthOrder): Promise<void> {
  const child = JSON.stringify(join(import.meta.dirname, "synth-child.ts"));
  await build({
    stdin: {
      contents: `
        import * as pulumi from "@pulumi/pulumi";
        import { prepare } from ${child};
        await prepare(pulumi, ${JSON.stringify(order)});`,
      resolveDir: platform,
      loader: "ts",
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["@pulumi/*"],
  });
}

interface Start {
  readonly prepare: string;
  readonly platform: string;
  readonly env: Readonly<Record<string, string>>;
}

/** As Pulumi's language host starts a program: with Pulumi's own runner, which compiles TypeScript that is loaded. */
async function startAsPulumi(program: string, { prepare, platform, env }: Start): Promise<void> {
  const runner = join(platform, "node_modules/@pulumi/pulumi/cmd/run/index.js");
  // The runner asks whether `--import` is an argument by itself, and then would not compile.
  const args = [`--import=${pathToFileURL(prepare)}`, runner, "--monitor=mock", `--pwd=${platform}`, program];
  await promisify(execFile)(process.execPath, args, {
    cwd: platform,
    timeout: MAX_MS,
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: "--enable-source-maps --no-deprecation",
      PULUMI_NODEJS_TYPESCRIPT: "true",
      ...env,
    },
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
