import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aProject } from "../fixtures/files/a-project.ts";
import { countPowers, POWERS } from "../fixtures/processes/powers.ts";
import { runFile } from "../fixtures/run/run-file.ts";

test("every built-in module of this Node has a row that says what it was tried for", () => {
  const prefixed = builtinModules.filter((name) => name.startsWith("node:"));
  expect(prefixed).toContain("node:sqlite");
  expect(Object.keys(POWERS).sort()).toEqual([...builtinModules].sort());
});

const FIXTURES = join(import.meta.dirname, "../fixtures/processes");

/** The functions of each module that this Node has and the list has not. */
function newFunctions(known: Functions, found: Functions): string[] {
  return Object.entries(found).flatMap(([module, names]) => {
    const before = new Set(known[module]?.split(" "));
    return names.split(" ").flatMap((name) => (before.has(name) ? [] : [`${module} ${name}`]));
  });
}

type Functions = Readonly<Record<string, string>>;

test("every function of a built-in module was looked at for what it can read, write, reach or signal", () => {
  const known: Functions = JSON.parse(readFileSync(join(FIXTURES, "known-functions.json"), "utf8"));
  const program = join(FIXTURES, "programs/print-functions.mjs");
  const found: Functions = JSON.parse(
    execFileSync(process.execPath, ["--no-warnings", program], { encoding: "utf8", env: {} }),
  );
  // One that is new: try it in powers.ts if it has such a power, then take the program's output for the list.
  expect(newFunctions(known, found)).toEqual([]);
  const withMore = { ...found, fs: `${found.fs} readAnything`, "node:ffi": "dlopen" };
  expect(newFunctions(known, withMore)).toEqual(["fs readAnything", "node:ffi dlopen"]);
});

test.each(["process", "pool"] as const)(
  "in isolation %s an agent and its checker get no further than the table says",
  async (isolation) => {
    const folder = aProject({ "outside/secret.json": '{ "token": 1 }', readable: "let a = 1;" });
    const [outside, readable] = [join(folder, "outside"), join(folder, "readable")];
    const linked = aProject({ "some.json": "0" });
    symlinkSync(outside, join(linked, "way"));
    const { mode, mtimeMs } = statSync(readable);
    const { logs } = await runFile("powers", {
      isolation,
      problems: [{ problem: { outside, readable, linked } }],
      permissions: { read: [readable, linked] },
    });
    const [log] = logs;
    expect(log?.failure).toBeNull();
    expect(log?.result).toEqual({ count: countPowers(), unexpected: {} });
    expect(log).toMatchObject({ correct: true, reason: "{}" });
    expect(readdirSync(outside)).toEqual(["secret.json"]);
    expect(readdirSync(folder)).toEqual(["outside", "readable"]);
    expect(readFileSync(readable, "utf8")).toBe("let a = 1;");
    expect(statSync(readable)).toMatchObject({ mode, mtimeMs });
  },
);

test("who is not root moves a read-only file, but no folder and no link", () => {
  const program = join(FIXTURES, "programs/move-unprivileged.ts");
  const flags = ["--no-warnings", "--permission", "--allow-fs-read=*", "--allow-fs-write=*"];
  const said = execFileSync(process.execPath, [...flags, program], { encoding: "utf8", env: {} });
  expect(JSON.parse(said)).toEqual({
    "read-only": "moved",
    folder: "ERR_ACCESS_DENIED fs.rename of folders and links",
    link: "ERR_ACCESS_DENIED fs.rename of folders and links",
    missing: "ENOENT",
  });
});

test("a package that is loaded before all else finds nothing to keep for later", async () => {
  const folder = aProject({
    "node_modules/early/package.json":
      '{ "name": "early", "gypfile": true, "type": "module", "main": "i.js" }',
    "node_modules/early/i.js": `
      import { setFlagsFromString } from "node:v8";
      const [kill, setFlags] = [process._kill.bind(process), setFlagsFromString];
      const codeOf = (attempt) => { try { return attempt() } catch (error) { return error.code } };
      export default () => [kill(process.ppid, 0), codeOf(() => setFlags("--stack-size=900"))];`,
    "a.eval.ts": `
      import early from "early";
      export default await Promise.resolve({
        name: "early",
        models: [["scripted", "none"]],
        problems: ["any"],
        buildAgent: () => () => early(),
        resultChecker: () => true,
      });`,
  });
  const { logs } = await runFile(join(folder, "a"));
  expect(logs).toMatchObject([{ failure: null, result: [-1, "ERR_ACCESS_DENIED"] }]);
});

test("what a run may not use is said with the way to allow it, and trusted runs may use it", async () => {
  const folder = aProject({
    "a.eval.ts": `
      export default {
        name: "closed",
        models: [["scripted", "none"]],
        problems: ["sqlite", "v8"],
        buildAgent: (provider, model, tools, problem) => async () => {
          if (problem === "sqlite") new (await import("node:sqlite")).DatabaseSync(":memory:").close();
          else process.getBuiltinModule("v8").setFlagsFromString("--stack-size=900");
          return "done";
        },
        resultChecker: () => true,
      };`,
  });
  const run = async (options = {}) => {
    const { logs } = await runFile(join(folder, "a"), options);
    return logs.map(({ failure, result }) => failure?.message ?? result);
  };
  const refusal = (what: string) =>
    expect.stringMatching(
      new RegExp(`^a run may not use ${what}.*; \`trusted: true\` in the evaluation allows it`),
    );
  expect(await run()).toEqual([refusal("node:sqlite"), refusal("v8.setFlagsFromString")]);
  expect(await run({ trusted: true })).toEqual(["done", "done"]);
});
