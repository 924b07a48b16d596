import { globSync, readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { transformSync } from "esbuild";
import { describe, expect, test } from "vitest";
import { importsOf } from "./fixtures/house/imports.ts";
import {
  crowdedFolders,
  importCycles,
  importShare,
  longFiles,
  oddWords,
  type Sources,
  sharedNames,
  unusedExports,
  vagueComments,
} from "./fixtures/house/rules.ts";

const repo = join(import.meta.dirname, "..");

describe("the rooms", () => {
  test("keep the house rules", () => {
    expect(brokenRules(readSources())).toEqual([]);
  });

  test("are really read", () => {
    const sources = readSources();
    expect(sources.size).toBeGreaterThan(20);
    const bundle = sources.get("src/bundle/build-bundle.ts") ?? "";
    expect(importsOf("src/bundle/build-bundle.ts", bundle)).toEqual(
      expect.arrayContaining(["node:path", "esbuild", "src/bundle/esbuild-options.ts"]),
    );
  });
});

const MOST_IMPORTS = 0.074;

describe("the house", () => {
  const sources = readSources("src/**/*.{ts,tsx}");

  test("has no cycle of imports, not even of types", () => {
    expect(importCycles(sources)).toEqual([]);
    const planted = new Map([
      ["src/a.ts", 'import type { B } from "./b.ts";'],
      ["src/b.ts", 'export { c } from "./c.ts";'],
      ["src/c.ts", 'import { a } from "./a.ts";'],
      ["src/d.ts", 'import { a } from "./a.ts"; const e = import("./e.ts");'],
      ["src/e.ts", 'import { d } from "./d.ts";'],
    ]);
    expect(importCycles(planted)).toEqual(["src/a.ts src/b.ts src/c.ts"]);
  });

  test("has one word per concept: no name is exported by two rooms", () => {
    expect(sharedNames(sources)).toEqual([]);
    const planted = new Map([
      ["src/store/a.ts", "export interface Page {}\nexport const a = 1;"],
      ["src/store/b.ts", "export function a() {}"],
      ["src/web/a.ts", "export type Page = 1;"],
    ]);
    expect(sharedNames(planted)).toEqual(["Page"]);
  });

  test("has no export that only its own file uses", () => {
    const readers = readSources("{src,functions,test,stacks,evals}/**/*.{ts,tsx}");
    expect(unusedExports(sources, readers)).toEqual([]);
    const planted = new Map([
      ["src/a.ts", "export const used = 1;\nexport async function unused() {}\nunused();"],
      ["src/b.ts", 'import { used } from "./a.ts";'],
    ]);
    expect(unusedExports(planted)).toEqual(["src/a.ts unused"]);
  });

  test("says of each exported name what it is or does, and begins with that", () => {
    expect(vagueComments(readSources())).toEqual([]);
    const planted =
      "/**\n * Whether it is one.\n */\nexport const isOne = 1;\n/** Counts what is. */\nexport const b = 1;";
    expect(vagueComments(new Map([["src/a.ts", planted]]))).toEqual(["src/a.ts isOne"]);
  });

  test("speaks plain English", () => {
    expect(oddWords(readSources())).toEqual([]);
    const planted = "// It is no file, is dear and tells of there is no end, which is no longer.";
    expect(oddWords(new Map([["src/a.ts", planted]]))).toEqual([
      "src/a.ts is no file",
      "src/a.ts dear",
      "src/a.ts tells of",
    ]);
  });

  test("has folders that can be taken in at a glance", () => {
    expect(crowdedFolders(sources)).toEqual([]);
    const files = Array.from({ length: 15 }, (_, at): [string, string] => [`src/engine/a${at}.ts`, ""]);
    expect(crowdedFolders(new Map(files))).toEqual(["src/engine"]);
    expect(crowdedFolders(new Map(files.slice(1)))).toEqual([]);
  });

  test("has no file that is too long to read", () => {
    expect(longFiles(sources)).toEqual([]);
    expect(longFiles(new Map([["src/a.ts", "\n".repeat(301)]]))).toEqual(["src/a.ts"]);
  });

  test("has deep modules: few of its lines are imports", () => {
    expect(importShare(sources)).toBeLessThan(MOST_IMPORTS);
    const planted = new Map([["src/a.ts", 'import {\n  a,\n} from "./b.ts";\n\na();\n\n']]);
    expect(importShare(planted)).toBe(0.5);
  });
});

describe("a planted violation is caught", () => {
  test.each([
    ["src/domain/plan.ts", 'import { readFileSync } from "node:fs";', "imports node:fs"],
    [
      "src/domain/plan.ts",
      'import type { Store } from "../store/contract.ts";',
      "imports src/store/contract.ts",
    ],
    [
      "src/domain/plan.ts",
      'import { tQuantile } from "../statistics/distributions.ts";',
      "imports src/statistics/distributions.ts",
    ],
    ["src/store/a.ts", 'import {\n  type A,\n  b,\n} from "../engine/b.ts";', "imports src/engine/b.ts"],
    ["src/web/a.ts", 'const a = await import("../api/app.ts");', "imports src/api/app.ts"],
    ["src/web/a.ts", 'import { Grid } from "../api/answers.ts";', "loads the API's code"],
    ["src/agent/a.ts", 'import "../providers/gateway.ts";', "imports src/providers/gateway.ts"],
    ["src/engine/a.ts", 'import { s } from "../store/sqlite-store.ts";', "imports src/store/sqlite-store.ts"],
    ["src/engine/a.ts", 'import "../providers/openai.ts";', "imports src/providers/openai.ts"],
    ["src/engine/a.ts", 'import "../isolation/in-process.ts";', "imports src/isolation/in-process.ts"],
    [
      "src/engine/a.ts",
      'import { evaluate } from "../agent-evaluator.ts";',
      "imports src/agent-evaluator.ts",
    ],
    ["src/api/a.ts", 'import type { A } from "../cli/a.ts";', "imports src/cli/a.ts"],
    ["src/statistics.ts", 'export { a } from "./engine/a.ts";', "imports src/engine/a.ts"],
    ["src/new-room/a.ts", "export const a = 1;", "is in no room"],
    ["stacks/a.ts", 'import { a } from "../src/engine/a.ts";', "imports src/engine/a.ts"],
    ["stacks/a.ts", 'import { a } from "../src/domain/a.ts";', "imports src/domain/a.ts"],
    ["src/engine/a.ts", 'import { spawn } from "node:child_process";', "imports node:child_process"],
    ["src/engine/a.ts", 'import { fork } from "child_process";', "imports child_process"],
    ["src/cli/web/a.ts", 'import { spawn } from "node:child_process";', "imports node:child_process"],
    ["src/agent/a.ts", 'import OpenAI from "openai";', "imports openai"],
    ["src/engine/a.ts", 'import "@pydantic/genai-prices";', "imports @pydantic/genai-prices"],
    ["src/engine/local.ts", 'import { S3 } from "@aws-sdk/client-s3";', "imports @aws-sdk/client-s3"],
    ["src/providers/openai.ts", 'import { S3 } from "@aws-sdk/client-s3";', "imports @aws-sdk/client-s3"],
    ["src/cli/a.ts", 'const { build } = await import("esbuild");', "imports esbuild"],
    ["src/engine/a.ts", 'import { DatabaseSync } from "node:sqlite";', "imports node:sqlite"],
    ["src/engine/a.ts", 'import { Resource } from "sst";', "imports sst"],
    ["src/engine/a.ts", 'export const key = process.env.KEY ?? "";', "uses process.env"],
    ["src/engine/a.ts", "const { env } = process;", "uses the whole process"],
    ["src/store/a.ts", 'console.warn("x");', "uses console"],
    ["src/domain/a.ts", 'export const size = Buffer.byteLength("x");', "uses what no browser has"],
    ["src/domain/a.ts", "export const started = process.uptime();", "uses what no browser has"],
    ["src/isolation/a.ts", "if (process.argv[2]) process.exit(1);", "uses process.exit"],
    ["src/engine/all.ts", 'export { a } from "./a.ts";', "passes on what another file exports"],
    ["src/index.ts", 'export * from "./engine/a.ts";', "does not name what it exports"],
    ["src/engine/utils.ts", "export const a = 1;", "has a name that says nothing"],
    ["src/store/index.ts", "export const a = 1;", "has a name that says nothing"],
    ["src/store/sqliteStore.ts", "export const a = 1;", "is not named in kebab-case"],
  ])("%s: %s", (path, text, what) => {
    expect(brokenRules(new Map([[path, text]]))).toContain(`${path} ${what}`);
  });
});

test.each([
  [
    "src/cli/a.ts",
    'import { a } from "../store/a.ts"; console.log(process.env.A, process.argv); process.exit(0);',
  ],
  ["src/engine/a.ts", '// console.log(process.env.A)\nexport const a = "process.env";'],
  ["src/engine/cloud/start.ts", 'import { Lambda } from "@aws-sdk/client-lambda";'],
  ["src/providers/bedrock.ts", 'import { Bedrock } from "@aws-sdk/client-bedrock-runtime";'],
  ["src/providers/table.ts", "export const key = (name: string) => process.env[name];"],
  ["src/index.ts", 'export { a } from "./engine/a.ts";'],
  ["src/web/a.ts", 'import type { Grid } from "../api/answers.ts";'],
])("%s may hold: %s", (path, text) => {
  expect(brokenRules(new Map([[path, text]]))).toEqual([]);
});

function readSources(pattern = "{src,functions,stacks}/**/*.{ts,tsx}"): Sources {
  const paths = globSync(pattern, { cwd: repo });
  return new Map(paths.map((path) => [path, readFileSync(join(repo, path), "utf8")]));
}

/** Every broken rule as `<file> <what it does>`. */
function brokenRules(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) =>
    [
      ...importsOf(path, text)
        .filter((imported) => !mayImport(path, imported))
        .map((imported) => `imports ${imported}`),
      ...powersOf(path, text)
        .filter((power) => !mayUse(path, power))
        .map((power) => `uses ${power}`),
      ...brokenForms(path, text),
    ].map((what) => `${path} ${what}`),
  );
}

/** What each room may import of ours beside itself. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  "src/domain": [],
  // What a browser may load.
  "src/statistics.ts": ["src/domain/", "src/statistics/"],
  "src/statistics": ["src/domain/"],
  "src/providers": ["src/domain/"],
  "src/gateway": ["src/domain/", "src/providers/"],
  "src/system": ["src/domain/"],
  "src/store": ["src/domain/", "src/system/"],
  "src/isolation": ["src/domain/", "src/bundle/", "src/system/"],
  "src/bundle": ["src/domain/", "src/system/", "src/child/reentry.ts"],
  "src/web": ["src/domain/", "src/statistics/", "src/api/answers.ts"],
  "src/datasets": ["src/domain/", "src/system/"],
  "src/agent": ["src/domain/", "src/providers/provider.ts"],
  "src/checkers": ["src/domain/", "src/providers/provider.ts"],
  // Everything that runs beside the agent's code.
  "src/child": [
    "src/domain/",
    "src/agent/",
    "src/checkers/checker.ts",
    "src/providers/provider.ts",
    "src/providers/built-in.ts",
    "src/isolation/isolation.ts",
    "src/isolation/frames.ts",
    "src/bundle/files.ts",
    "src/engine/definition/definition.ts",
    "src/system/",
  ],
  "src/engine": [
    "src/domain/",
    "src/system/",
    "src/statistics/",
    "src/gateway/",
    "src/agent/agent.ts",
    "src/checkers/checker.ts",
    "src/providers/provider.ts",
    "src/providers/built-in.ts",
    "src/providers/model-options.ts",
    "src/providers/scripted.ts",
    "src/isolation/isolation.ts",
    "src/store/store.ts",
  ],
  "src/api": ["src/domain/", "src/statistics/", "src/engine/", "src/store/store.ts", "src/system/"],
  "src/cli": ["src/"],
  functions: ["src/"],
  // Copied into a user's project, they know of us what `agent-evaluator/cloud` exports.
  stacks: [],
};

const roots = [
  "src/index.ts",
  "src/cloud.ts",
  "src/agent-evaluator.ts",
  "src/child.ts",
  "src/local/",
  "src/deploy/",
  "src/cli/",
  "functions/",
];

/** Packages with one home; what is not named here may be imported anywhere outside the domain. */
const homes: readonly [packages: RegExp, homes: readonly string[]][] = [
  // Two other programs are started: whatever opens a link on the user's machine, and git.
  [/^(?:node:)?child_process$/, ["src/isolation/", "src/cli/dashboard/open.ts", "src/local/git.ts"]],
  [/^(?:node:)?sqlite$/, ["src/store/"]],
  [/^esbuild$/, ["src/bundle/"]],
  [/^@aws-sdk\//, ["src/store/", "src/providers/bedrock", "src/engine/cloud", "functions/"]],
  [/^@aws\//, ["src/engine/cloud", "functions/"]],
  [/^sst$/, ["functions/", "stacks/"]],
  [/^(?:openai|@anthropic-ai\/.+|@google\/.+|@huggingface\/.+|@pydantic\/.+)$/, ["src/providers/"]],
];

const powers: Readonly<Record<string, readonly string[]>> = {
  // The reaper is a program of its own, though it lives in its room.
  "process.argv": [...roots, "src/isolation/reaper.ts"],
  "process.exit": roots,
  "process.env": [...roots, "src/providers/table.ts"],
  "the whole process": roots,
  console: roots,
};

function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || (!place.endsWith(".ts") && path.startsWith(place)));
}

function roomOf(path: string): string | undefined {
  return Object.keys(rooms).find((room) => path === room || path.startsWith(`${room}/`));
}

function mayImport(path: string, imported: string): boolean {
  if (!/^(?:src|functions|stacks|test|evals)\//.test(imported)) return mayImportPackage(path, imported);
  if (isIn(imported, roots) && !isIn(path, roots)) return false;
  if (isIn(path, roots)) return !/^(?:test|evals|stacks)\//.test(imported);
  const room = roomOf(path);
  return room === undefined || isIn(imported, [`${room}/`, ...(rooms[room] ?? [])]);
}

function mayImportPackage(path: string, name: string): boolean {
  if (path.startsWith("src/domain/")) return name === "zod";
  return homes.every(([packages, places]) => !packages.test(name) || isIn(path, places));
}

function mayUse(path: string, power: string): boolean {
  return isIn(path, powers[power] ?? []);
}

/** Which powers a file's code uses; esbuild's parser finds them, so comments and strings do not count. */
function powersOf(path: string, text: string): string[] {
  const marked = transformSync(text, {
    loader: path.endsWith("x") ? "tsx" : "ts",
    format: "esm",
    define: {
      process: "POWER_process",
      "process.argv": "POWER_argv",
      "process.exit": "POWER_exit",
      "process.env": "POWER_env",
      console: "POWER_console",
      Buffer: "POWER_Buffer",
      setImmediate: "POWER_setImmediate",
    },
  }).code;
  const isForBrowsers = isIn(path, ["src/domain/", "src/statistics.ts", "src/web/"]);
  return [
    ...["argv", "exit", "env"]
      .filter((name) => marked.includes(`POWER_${name}`))
      .map((name) => `process.${name}`),
    ...(marked.includes("POWER_console") ? ["console"] : []),
    ...(/POWER_process(?![.\w])/.test(marked) ? ["the whole process"] : []),
    ...(isForBrowsers && /POWER_(?:process|Buffer|setImmediate)/.test(marked) ? ["what no browser has"] : []),
  ];
}

function brokenForms(path: string, text: string): string[] {
  const name = path.split("/").at(-1) ?? "";
  const isPublic = ["src/index.ts", "src/cloud.ts", "src/statistics.ts"].includes(path);
  const rules: readonly [isBroken: boolean, what: string][] = [
    [path.startsWith("src/") && !isIn(path, roots) && roomOf(path) === undefined, "is in no room"],
    [
      path.startsWith("src/web/") && /^import (?!type\b)[^;]*?\bfrom "[^"]*\/api\//m.test(text),
      "loads the API's code",
    ],
    [!isPublic && /^export\b[\w$\s{},*]*?\bfrom\s*"/m.test(text), "passes on what another file exports"],
    [isPublic && /^export\s*\*/m.test(text), "does not name what it exports"],
    [
      !isPublic && /^(?:index|utils?|helpers?|common|types?)\.tsx?$/.test(name),
      "has a name that says nothing",
    ],
    [!/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)*$/.test(name), "is not named in kebab-case"],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, what]) => what);
}
