import { type ExecFileException, execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FIRST_EVALUATION } from "../../src/cli/init-files.ts";
import { README } from "../fixtures/docs/readme.ts";
import { cloudProjectSuite } from "./cloud-project.ts";

const repo = join(import.meta.dirname, "../..");
const tools = join(repo, "node_modules/.bin");
const installMs = 600_000;
let home = "";
let folder = "";
let packed: Packed = { filename: "", unpackedSize: 0, files: [] };

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "pack-")));
  await expectDone("npm", ["run", "build"], repo);
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", home];
  const { stdout } = await expectDone("npm", args, repo);
  [packed = packed] = JSON.parse(stdout) as Packed[];
  folder = join(home, "user");
  await mkdir(folder);
  const tarball = join(home, packed.filename);
  await expectDone("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", tarball], folder);
  await writeFile(join(folder, "first.eval.ts"), FIRST_EVALUATION);
  await writeFile(join(folder, "script.mts"), SCRIPT);
}, installMs);
afterAll(() => rm(home, { recursive: true, force: true }));

describe("the tarball", () => {
  test("holds what is built and nothing of how it is built", () => {
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        ...["dist/index.js", "dist/index.d.ts", "dist/child.js", "LICENSE"],
        ...["dist/cli/bin.cjs", "dist/cli/main.js", "dist/cli/zod.LICENSE"],
        ...["evals/quickstart.eval.ts", "evals/vercel-ai-sdk.eval.ts"],
        ...["dist/cloud.d.ts", "dist/functions/runner.js", "stacks/evaluation.ts", "sst.config.ts"],
      ]),
    );
    const linked = [...README.matchAll(/\]\((\S+?\.md)\)/g)].map(([, path]) => path);
    // These two are of use in the repository only.
    const own = ["ARCHITECTURE.md", "CONTRIBUTING.md"];
    expect(paths).toEqual(expect.arrayContaining(linked.filter((path) => !own.includes(path ?? ""))));
    const odd = paths.filter(
      (path) =>
        !/^(?:(?:dist|stacks)\/.+|evals\/.+\.eval\.ts|evals\/shop\.ts|docs\/.+\.md|(?:package|sst\.config|README|LICENSE|CHANGELOG)(?:\.\w+)?)$/.test(
          path,
        ),
    );
    expect(odd).toEqual([]);
    expect(paths.filter((path) => /\.test\.|^dist\/.*(?<!\.d)\.ts$/.test(path))).toEqual([]);
  });

  test("is small", () => {
    expect(packed.unpackedSize).toBeLessThan(6_000_000);
  });

  test("names no source file in what it loads or declares", async () => {
    const built = packed.files.filter(({ path }) => /^dist\/.*\.(?:js|d\.ts)$/.test(path));
    const texts = await Promise.all(built.map(({ path }) => readFile(join(repo, path), "utf8")));
    const sources = /^(?:import|export)\b[^"\n]*"\.[^"\n]+(?<!\.d)\.ts"|\bimport\("\.[^"\n]+\.ts"\)/m;
    expect(built.filter((_, index) => sources.test(texts[index] ?? ""))).toEqual([]);
  });
});

describe.each([
  ["ES modules", '{ "type": "module" }'],
  ["npm's default", '{ "name": "user", "version": "1.0.0", "type": "commonjs" }'],
])("installed in a project of %s", (kind, manifest) => {
  // What is installed does not depend on the kind of modules, so it is installed once.
  beforeAll(() => writeFile(join(folder, "package.json"), manifest));

  test("the command runs a first evaluation", async () => {
    const { stdout, stderr } = await expectDone(
      "npx",
      ["--no-install", "agent-evaluator", "run", "first.eval.ts"],
      folder,
    );
    const said = stdout + stderr;
    expect(said).toMatch(/^model +accuracy +correct/m);
    expect(said).toMatch(/^scripted\/careful +100% 44–100 +3\/3/m);
    expect(said).toMatch(/^scripted\/hasty +50\.0% 9–91 +1\/2/m);
  });

  test("the command runs an example of the package where it lies", async () => {
    const example = "node_modules/agent-evaluator/evals/quickstart.eval.ts";
    const words = ["--no-install", "agent-evaluator", "run", example, "--quiet"];
    const { stdout } = await expectDone("npx", words, folder);
    expect(stdout).toMatch(/^scripted\/careful +100%/m);
  });

  test("a script runs an evaluation by itself", async () => {
    const { stdout } = await expectDone("node", ["script.mts"], folder);
    expect(stdout.trim()).toBe('["scripted/one",1,1,1]');
  });

  test("a program computes with the statistics alone", async () => {
    await writeFile(join(folder, "statistics.mts"), STATISTICS);
    const { stdout } = await expectDone("node", ["statistics.mts"], folder);
    expect(stdout.trim()).toBe("0.0525 not distinguishable");
  });

  test.each([
    ["nodenext", { module: "nodenext", moduleResolution: "nodenext" }],
    ["bundler", { module: "esnext", moduleResolution: "bundler" }],
  ])("types resolve as %s", async (name, compilerOptions) => {
    const checked = join(folder, `${name} in ${kind}`);
    await mkdir(checked);
    await writeFile(join(checked, "user.ts"), TYPED);
    await writeFile(
      join(checked, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          ...compilerOptions,
          target: "es2024",
          lib: ["es2024", "dom"],
          strict: true,
          noEmit: true,
          types: [],
        },
        files: ["user.ts", "../first.eval.ts"],
      }),
    );
    await expectDone("tsc", ["-p", checked], folder);
  });
});

cloudProjectSuite(() => folder);

test("an old Node is told which Node is needed", async () => {
  const preload = join(home, "old-node.cjs");
  await writeFile(preload, 'Object.defineProperty(process, "versions", { value: { node: "12.22.0" } });');
  const { code, stderr } = await run(
    "node",
    ["--require", preload, join(repo, "dist/cli/bin.cjs"), "--help"],
    home,
  );
  expect(stderr).toContain("Agent Evaluator needs Node 24 or newer; this is Node 12.22.0.\n");
  expect(stderr).toContain("npm install --save-dev node@24");
  expect(code).toBe(1);
});

const SCRIPT = `import { AgentEvaluator } from "agent-evaluator";

const { stats, report } = await new AgentEvaluator({
  models: [["scripted", "one"]],
  problems: [["Capital of Peru?", "Lima"]],
  buildAgent: (provider, model, tools, problem) => async () =>
    (await provider.generate({ model, messages: [{ role: "user", content: String(problem) }] })).content,
  resultChecker: (result, expected) => result === expected,
  scripts: { one: [{ say: "Lima" }] },
}).evaluate();
const [[key, { finished, correct }]] = Object.entries(stats);
console.log(JSON.stringify([key, finished, correct, report.models[key].accuracy.value]));
`;

const STATISTICS = `import { compareModels, mcnemarExact } from "agent-evaluator/statistics";

const none = { correct: 0, wrong: 0, unscored: 0, model: 0, code: 0, infrastructure: 0, stopped: 0 };
const same = new Map([["a", { ...none, correct: 1 }]]);
console.log(mcnemarExact(6, 16).toFixed(4), compareModels(same, same).verdict);
`;

const TYPED = `import { AgentEvaluator, defineEvaluation, type EvaluationReport, type LogEntry, type ModelStats } from "agent-evaluator";
import { type Interval, wilsonInterval } from "agent-evaluator/statistics";

type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Result = Awaited<ReturnType<AgentEvaluator["evaluate"]>>;

export const logs: Is<Result["logs"], LogEntry[]> = true;
export const report: Is<Result["report"], EvaluationReport> = true;
export const interval: Interval = wilsonInterval(0.5, 10);
export const stats: Is<Result["stats"][keyof Result["stats"]], ModelStats> = true;

// @ts-expect-error an evaluation needs problems
defineEvaluation({ models: [["scripted", "one"]] });
`;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  const env = { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH ?? ""}`, NO_COLOR: "1" };
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { cwd, env, maxBuffer: 2 ** 26 },
      (error: ExecFileException | null, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
      },
    );
  });
}

async function expectDone(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  const ended = await run(command, args, cwd);
  expect(ended.code, `${command} ${args.join(" ")}: ${ended.stdout}${ended.stderr}`).toBe(0);
  return ended;
}
