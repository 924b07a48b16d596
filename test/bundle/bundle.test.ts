import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { version } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { bundleDefinition } from "../../src/bundle/build-bundle.ts";
import type { DefinitionBundle } from "../../src/bundle/bundle.ts";
import { EvaluatorError } from "../../src/domain/errors.ts";
import { codeFile } from "../fixtures/bundle/code-file.ts";

const repo = fileURLToPath(new URL("../../", import.meta.url));
const childModule = join(repo, "test/fixtures/bundle/own/src/child.ts");
let home = "";

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "bundle test-")));
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(home, "project-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

function bundle(file: string): Promise<DefinitionBundle> {
  return bundleDefinition(file, { childModule, outFolder: join(home, "bundles") });
}

/** Starts the bundle as a run's process would be, and gives what the definition's default export says. */
async function serve(
  { file, readable }: DefinitionBundle,
  { flags = [], script }: { flags?: readonly string[]; script?: string } = {},
): Promise<unknown> {
  const reads = readable.map((folder) => `--allow-fs-read=${folder}`);
  const { stdout } = await promisify(execFile)(process.execPath, ["--permission", ...reads, ...flags, file], {
    cwd: "/",
    env: { BUNDLE_CHILD: "1", ...(script === undefined ? {} : { BUNDLE_SCRIPT: script }) },
  });
  return JSON.parse(stdout);
}

async function served(files: Readonly<Record<string, string>>, entry: string): Promise<unknown> {
  const folder = await project(files);
  return serve(await bundle(join(folder, entry)));
}

async function failure(files: Readonly<Record<string, string>>, entry: string): Promise<EvaluatorError> {
  const folder = await project(files);
  const error = await bundle(join(folder, entry)).catch((thrown: unknown) => thrown);
  if (error instanceof EvaluatorError) return error;
  throw new Error("no EvaluatorError was thrown", { cause: error });
}

const commonJs = { "package.json": '{ "type": "commonjs" }' };
const esModules = { "package.json": '{ "type": "module" }' };

describe("a bundle runs", () => {
  test.each<[string, Record<string, string>, string, unknown]>([
    [
      "TypeScript without a package.json",
      { "a.eval.ts": "const n: number = 1; export default n" },
      "a.eval.ts",
      1,
    ],
    [
      "TypeScript in a CommonJS project",
      { ...commonJs, "a.eval.ts": 'import b from "./b"; export default b', "b.js": "module.exports = 2" },
      "a.eval.ts",
      2,
    ],
    [
      "a .js script with require",
      { "a.js": 'const { sep } = require("path"); module.exports = sep' },
      "a.js",
      "/",
    ],
    ["a .cjs script", { ...esModules, "a.cjs": "module.exports = { a: 3 }" }, "a.cjs", { a: 3 }],
    [
      "an .mts file",
      {
        ...commonJs,
        "a.mts": 'import { b } from "./b.mts"; export default b',
        "b.mts": "export const b = 4",
      },
      "a.mts",
      4,
    ],
    ["enums", { "a.ts": "enum Colour { Red = 7 } export default Colour.Red" }, "a.ts", 7],
    ["namespaces", { "a.ts": "namespace N { export const n = 8 } export default N.n" }, "a.ts", 8],
    [
      "decorators",
      {
        "a.ts":
          "const twice = (f: () => number, _: unknown) => () => f() * 2; class A { @twice n() { return 3 } } export default new A().n()",
      },
      "a.ts",
      6,
    ],
    [
      "older decorators when tsconfig asks for them",
      {
        "tsconfig.json": '{ "compilerOptions": { "experimentalDecorators": true } }',
        "a.ts":
          "const seen: string[] = []; const note = (_: object, key: string) => { seen.push(key) }; class A { @note n() {} } export default [seen, A.name]",
      },
      "a.ts",
      [["n"], "A"],
    ],
    [
      "JSON imports",
      {
        ...esModules,
        "a.ts": 'import d from "./d.json" with { type: "json" }; export default d',
        "d.json": "[1]",
      },
      "a.ts",
      [1],
    ],
    ["top-level await", { "a.ts": "export default await Promise.resolve(9)" }, "a.ts", 9],
    [
      "a shebang",
      { "a.ts": "#!/usr/bin/env node\nexport default import.meta.filename.length > 0" },
      "a.ts",
      true,
    ],
    [
      "dynamic imports",
      { "a.ts": 'export default (await import("./b.ts")).b', "b.ts": "export const b = 5" },
      "a.ts",
      5,
    ],
  ])("%s", async (_, files, entry, expected) => {
    expect(await served(files, entry)).toEqual(expected);
  });
});

describe("a source file in the bundle", () => {
  test("knows its own address, folder and name", async () => {
    const folder = await project({
      ...esModules,
      "a.ts":
        'import { url, resolved } from "./deep/b.ts"; const { filename, main } = import.meta; export default [url, resolved, import.meta.dirname, filename, main, "import.meta.url"]',
      "deep/b.ts":
        'export const url: string = import.meta.url; export const resolved = import.meta.resolve("./x.md");',
    });
    const url = `file://${folder.replace(" ", "%20")}`;
    expect(await serve(await bundle(join(folder, "a.ts")))).toEqual([
      `${url}/deep/b.ts`,
      `${url}/deep/x.md`,
      folder,
      join(folder, "a.ts"),
      false,
      "import.meta.url",
    ]);
  });

  test("knows __dirname and __filename, and stays strict", async () => {
    const folder = await project({
      "deep/a.cjs":
        '// a comment\n"use strict";\nmodule.exports = [__dirname, __filename, (function () { return this === undefined; })()]',
    });
    const [dirname, filename, strict] = (await serve(await bundle(join(folder, "deep/a.cjs")))) as unknown[];
    expect([dirname, filename, strict]).toEqual([join(folder, "deep"), join(folder, "deep/a.cjs"), true]);
  });

  test.each([
    [
      "a.ts",
      'import { b } from "./b.ts"; export default [import.meta.main, b]',
      "export const b = import.meta.main",
    ],
    [
      "a.js",
      'module.exports = [require.main === module, require("./b.ts")]',
      "module.exports = require.main === module",
    ],
  ])("is the main module when it is the script that runs again: %s", async (entry, a, b) => {
    const folder = await project({ [entry]: a, "b.ts": b });
    const script = join(folder, entry);
    const built = await bundle(script);
    expect(await serve(built)).toEqual([false, false]);
    expect(await serve(built, { script })).toEqual([true, false]);
  });

  test("may read a file beside it under Node's permissions", async () => {
    const files = {
      ...esModules,
      "a.ts":
        'import { readFileSync } from "node:fs"; export default readFileSync(new URL("p.md", import.meta.url), "utf8")',
      "p.md": "a prompt",
    };
    expect(await served(files, "a.ts")).toBe("a prompt");
  });

  test("may bring its own require", async () => {
    const files = {
      ...esModules,
      "a.ts":
        'import { createRequire } from "node:module"; const require = createRequire(import.meta.url); export default [require("./d.json"), require.resolve("p").endsWith("p/i.js")]',
      "d.json": "[1]",
      "node_modules/p/package.json": '{ "name": "p", "main": "i.js" }',
      "node_modules/p/i.js": "",
    };
    expect(await served(files, "a.ts")).toEqual([[1], true]);
  });

  test("finds a package by a name that it makes up while running", async () => {
    const files = {
      "a.js": 'const name = ["p", "q"][0]; module.exports = require(name)',
      "node_modules/p/package.json": '{ "name": "p" }',
      "node_modules/p/index.js": "module.exports = 11",
    };
    expect(await served(files, "a.js")).toBe(11);
  });
});

describe("zod", () => {
  const schema =
    'const text = `\nimport { z } from "zod";\n`; export default [text, z.object({ a: z.string() }).safeParse({ a: 1 }).error?.issues[0]?.message]';
  const expected = ['\nimport { z } from "zod";\n', "Invalid input: expected string, received number"];

  test.each([
    ['import { z } from "zod";'],
    ["import {\n  z,\n} from 'zod'"],
    ['import { z as zed } from "zod"; const z = { object: zed.object, string: zed.string };'],
    ['"use strict";\n/* why */ import fs from "node:fs";\nimport { z } from "zod";'],
  ])("is bundled without its locales for %j", async (header) => {
    const folder = await project({ ...esModules, "a.ts": `${header}\n${schema}` });
    await symlink(join(repo, "node_modules"), join(folder, "node_modules"));
    const built = await bundle(join(folder, "a.ts"));
    expect(await serve(built, { flags: [`--allow-fs-read=${repo}`] })).toEqual(expected);
    expect((await stat(codeFile(built))).size).toBeLessThan(250_000);
  });
});

describe("a package with compiled code", () => {
  const user = { ...esModules, "a.ts": 'import p from "p"; export default p' };
  const code = { "node_modules/p/index.js": "module.exports = [__filename, require('./data.json')]" };
  const data = { "node_modules/p/data.json": "1" };

  test.each<[string, Record<string, unknown>]>([
    ["gypfile", { gypfile: true }],
    ["a loader of compiled files", { dependencies: { bindings: "1" } }],
    ["a build per platform", { optionalDependencies: { "@p/linux-x64": "1" } }],
  ])("stays outside: %s", async (_, extra) => {
    const described = { "node_modules/p/package.json": JSON.stringify({ name: "p", ...extra }) };
    const folder = await project({ ...user, ...code, ...data, ...described });
    const built = await bundle(join(folder, "a.ts"));
    expect(await readFile(codeFile(built), "utf8")).toContain("node_modules/p/index.js");
    await writeFile(join(folder, "node_modules/p/data.json"), "2");
    expect(await serve(built)).toEqual([join(folder, "node_modules/p/index.js"), 2]);
  });

  test("stays outside when it is required", async () => {
    const folder = await project({
      "a.js": 'module.exports = require("p")',
      "node_modules/p/package.json": '{ "name": "p", "gypfile": true }',
      ...code,
      ...data,
    });
    expect(await serve(await bundle(join(folder, "a.js")))).toEqual([
      join(folder, "node_modules/p/index.js"),
      1,
    ]);
  });

  test("is loaded from a .node file that is imported directly", async () => {
    const folder = await project({
      ...esModules,
      "a.ts": 'import addon from "./addon.node"; export default () => typeof addon',
    });
    await writeFile(join(folder, "addon.node"), "");
    const built = await bundle(join(folder, "a.ts"));
    const error = await serve(built, { flags: ["--allow-addons"] }).catch((thrown: Error) => thrown.message);
    expect(error).toContain(join(folder, "addon.node"));
    expect(error).toContain("file too short");
  });

  test("is bundled when nothing in it is compiled", async () => {
    const folder = await project({
      ...user,
      ...code,
      ...data,
      "node_modules/p/package.json": '{ "name": "p" }',
    });
    const built = await bundle(join(folder, "a.ts"));
    await rm(join(folder, "node_modules"), { recursive: true });
    expect(await serve(built)).toEqual([join(folder, "node_modules/p/index.js"), 1]);
  });
});

describe("our own package in a bundle", () => {
  const files = {
    ...esModules,
    "a.ts":
      'import { bundler, define, evaluate } from "own-package"; export default () => evaluate();\nexport { bundler, define };',
  };

  test("is the one that bundles, without its parent-only parts", async () => {
    const folder = await project(files);
    const built = await bundle(join(folder, "a.ts"));
    const text = await readFile(codeFile(built), "utf8");
    expect(text).not.toContain("from the parent-only part");
    expect(text.length).toBeLessThan(10_000);
    expect(await serve(built, { flags: [`--allow-fs-read=${repo}`] })).toBe("from the parent-only part");
  });

  test("may load its own packages in a run", async () => {
    const folder = await project({ ...files, "b.ts": 'export { bundler as default } from "own-package"' });
    expect(await serve(await bundle(join(folder, "b.ts")))).toBe(version);
  });

  test("does not count among the user's files", async () => {
    const folder = await project({ ...files, "b.json": "1" });
    await writeFile(join(folder, "a.ts"), 'import "own-package"; import b from "./b.json"; export default b');
    const { inputs } = await bundle(join(folder, "a.ts"));
    expect(inputs.toSorted()).toEqual([join(folder, "a.ts"), join(folder, "b.json")]);
  });
});

describe("the fingerprint", () => {
  const files = {
    ...esModules,
    "evals/a.ts": 'import { evaluate } from "own-package"; export default [evaluate, import.meta.url]',
  };

  test("is the same for the same code in another folder", async () => {
    const [one, other] = await Promise.all([project(files), project(files)]);
    const [first, second] = [await bundle(join(one, "evals/a.ts")), await bundle(join(other, "evals/a.ts"))];
    expect(second.fingerprint).toBe(first.fingerprint);
    expect(second.file).not.toBe(first.file);
  });

  test("changes with the code", async () => {
    const folder = await project(files);
    const first = await bundle(join(folder, "evals/a.ts"));
    await writeFile(join(folder, "evals/a.ts"), "export default 2");
    const second = await bundle(join(folder, "evals/a.ts"));
    expect(second.fingerprint).not.toBe(first.fingerprint);
    expect(second.file).toContain(second.fingerprint.slice(0, 16));
  });
});

describe("a mistake in a definition", () => {
  test("in syntax is shown with its line and a caret", async () => {
    const files = { ...esModules, "a.ts": "const here = import.meta.url;\nexport default é => [\n  1 2\n];" };
    const error = await failure(files, "a.ts");
    expect(error.code).toBe("definition.syntax");
    expect(error.message).toMatch(/a\.ts:3:5: Expected "\]" but found "2"\n {2}3 \| {3}1 2\n {4}\| {5}\^\n/);
  });

  test("on the first line is shown as the user wrote it", async () => {
    const error = await failure({ "a.ts": 'import { z } from "zod"; import.meta.url; const 1' }, "a.ts");
    expect(error.message).toContain('  1 | import { z } from "zod"; import.meta.url; const 1\n');
  });

  test.each([
    ["a package", 'import x from "@acme/none/deep";', "definition.unresolved", "npm install @acme/none"],
    ["a file", 'import x from "./none.ts";', "definition.unresolved", "Correct the path"],
  ])("that names %s which is not there says what to do", async (_, line, code, next) => {
    const error = await failure({ "a.ts": `\n${line} export default x` }, "a.ts");
    expect(error.code).toBe(code);
    expect(error.message).toContain("a.ts:2:15: cannot find");
    expect(error.message).toContain(next);
  });

  test("in its own path is missing", async () => {
    const error = await failure({}, "none.eval.ts");
    expect(error.code).toBe("definition.missing");
    expect(error.message).toContain("none.eval.ts does not exist");
    expect((await failure({ "a.ts/b.ts": "" }, "a.ts")).message).toContain("is not a file");
  });
});

describe("a stack", () => {
  async function thrownBy(files: Readonly<Record<string, string>>): Promise<[string, string]> {
    const folder = await project(files);
    const built = await bundle(join(folder, "a.ts"));
    const script = `import(process.argv[1]).then(({ user }) => user.default()).catch((error) => process.stdout.write(error.stack))`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--eval", script, built.file], {
      cwd: "/",
    });
    return [built.mapStack(stdout), folder];
  }

  test("tells the user's files and lines, and ends there", async () => {
    const [stack, folder] = await thrownBy({
      ...esModules,
      "a.ts":
        'import { fail } from "./deep folder/b.ts";\ninterface Long {\n  a: 1;\n}\nexport default async () => { await null; fail("x") }',
      "deep folder/b.ts":
        "type A = 1;\nexport function fail(why: string): never {\n  throw new TypeError(why);\n}",
    });
    expect(stack.split("\n")).toEqual([
      "TypeError: x",
      `    at fail (${folder}/deep folder/b.ts:3:9)`,
      expect.stringMatching(/^ {4}at .*a\.ts:5:42\)?$/),
    ]);
  });

  test("of a file that asks for its own place has the right columns", async () => {
    const [stack, folder] = await thrownBy({ ...esModules, "a.ts": "throw new Error(import.meta.url)" });
    expect(stack.split("\n")[1]).toBe(`    at ${folder}/a.ts:1:7`);
  });

  test("keeps frames from elsewhere", async () => {
    const folder = await project({ "a.ts": "export default 1" });
    const { mapStack } = await bundle(join(folder, "a.ts"));
    const stack =
      "Error: x\n    at b (/elsewhere/b.js:1:2)\n    at Module._compile (node:internal/modules/cjs/loader:1:2)";
    expect(mapStack(stack)).toBe("Error: x\n    at b (/elsewhere/b.js:1:2)");
    expect(mapStack("just words")).toBe("just words");
  });
});

test("a definition in a folder whose name has a * is refused with what to do", async () => {
  const { code, message } = await failure({ "a*b/evals/a.ts": "export default 1" }, "a*b/evals/a.ts");
  expect(code).toBe("definition.path");
  expect(message).toMatch(/a\*b\/evals\/a\.ts has a \* in its path.*; rename that folder/);
});

test("a definition in a folder whose name has a backslash is served", async () => {
  const files = { ...esModules, "a\\b/evals/a.ts": 'export default import.meta.dirname.split("/").at(-2)' };
  expect(await served(files, "a\\b/evals/a.ts")).toBe("a\\b");
});

describe("the bundle's folder", () => {
  const entry = { "a.ts": "export default 1" };

  test("by default is this user's alone", async () => {
    const folder = await project(entry);
    const { file } = await bundleDefinition(join(folder, "a.ts"), { childModule });
    expect((await stat(dirname(dirname(file)))).mode & 0o777).toBe(0o700);
    expect(await readFile(`${file}.code`, "utf8")).toContain(`${file.split("/").at(-1)}.map`);
  });

  test("is not one that others may write to", async () => {
    const folder = await project(entry);
    const temp = await mkdtemp(join(home, "temp-"));
    const taken = join(temp, `agent-evaluator-${process.getuid?.()}`);
    await mkdir(taken);
    await chmod(taken, 0o777);
    vi.stubEnv("TMPDIR", temp);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { file } = await bundleDefinition(join(folder, "a.ts"), { childModule });
    expect(file.startsWith(`${temp}/agent-evaluator-`)).toBe(true);
    expect(file.startsWith(`${taken}/`)).toBe(false);
  });

  test("may be read by the run, beside the evaluation's folder and its packages", async () => {
    const folder = await project({
      "evals/a.ts": "",
      "node_modules/p/package.json": "{}",
      "package.json": "{}",
    });
    const { file, readable } = await bundle(join(folder, "evals/a.ts"));
    expect(readable).toEqual([join(folder, "evals"), join(folder, "node_modules"), dirname(file)]);
  });
});

describe.concurrent("a kept bundle", () => {
  const files = {
    "package.json": "{}",
    "a.ts": 'import { value } from "./lib/b.js";\nexport default value;',
    "lib/b.js": "export const value = 1;",
  };

  /** Files as they lie after a while: what changed just now is never kept. */
  async function settledProject(): Promise<string> {
    const folder = await project(files);
    await until(() => Date.now() - statSync(folder).ctimeMs > 2_200);
    return folder;
  }

  test("serves again while nothing has changed", async () => {
    const folder = await settledProject();
    const first = await bundle(join(folder, "a.ts"));
    const written = (await stat(first.file)).ctimeMs;
    const second = await bundle(join(folder, "a.ts"));
    expect((await stat(second.file)).ctimeMs).toBe(written);
    expect({ ...second, mapStack: null }).toEqual({ ...first, mapStack: null });
  });

  test.each<[string, (folder: string) => Promise<unknown>, unknown]>([
    [
      "a file of the same size",
      (folder) => writeFile(join(folder, "lib/b.js"), "export const value = 2;"),
      2,
    ],
    ["a folder in the place of a file", (folder) => replaceByFolder(join(folder, "lib/b.js")), 4],
  ])("is built again after a change: %s", async (_, change, expected) => {
    const folder = await settledProject();
    expect(await serve(await bundle(join(folder, "a.ts")))).toBe(1);
    await change(folder);
    expect(await serve(await bundle(join(folder, "a.ts")))).toBe(expected);
  });

  test("is built again when it was swept away or spoilt", async () => {
    const folder = await settledProject();
    const { file } = await bundle(join(folder, "a.ts"));
    await writeFile(file, "garbage");
    expect(await serve(await bundle(join(folder, "a.ts")))).toBe(1);
    await rm(dirname(file), { recursive: true });
    expect(await serve(await bundle(join(folder, "a.ts")))).toBe(1);
  });

  async function replaceByFolder(file: string): Promise<void> {
    await rm(file);
    await mkdir(file);
    await writeFile(join(file, "index.js"), "export const value = 4;");
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50));
  }
});
