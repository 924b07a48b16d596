import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readablePaths } from "../../../src/isolation/parent/readable.ts";
import { aProject } from "../../fixtures/files/a-project.ts";
import { runFile } from "../../fixtures/run/run-file.ts";

/** The files that a process of Node may read with what it is given of a folder. */
function readIn(folder: string, files: readonly string[]): string[] {
  const program = `const { readFileSync } = require("fs");
    const isRead = (file) => { try { readFileSync(file); return true } catch { return false } };
    console.log(JSON.stringify(JSON.parse(process.argv[1]).filter(isRead)))`;
  const flags = readablePaths([folder]).map((path) => `--allow-fs-read=${path}`);
  const args = ["--permission", ...flags, "-e", program, "--", JSON.stringify(files)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", cwd: folder }));
}

const filled = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "text"]));

test("a folder with nothing to hide is given whole", () => {
  const folder = aProject(filled(["a.csv", "more/b.csv", "node_modules/p/.env"]));
  expect(readablePaths([folder])).toEqual([folder]);
});

test("files that hold keys by their names are closed at any depth, and all beside them is read", () => {
  const open = ["a.csv", ".environment", "key.ts", "envs/a", "deep/er/data.txt", "deep/git/a", "idle.txt"];
  const closed = [
    ...[".env", ".envrc", ".env.local", "deep/er/.env", "deep/prod.env", "deep/er/own.PEM", "own.key"],
    ...[".git/config", "deep/.aws/credentials", "deep/.ssh/config", ".npmrc", "deep/.netrc", "id_rsa.pub"],
    ...[".agent-evaluator/seals/a", "deep/.git/config", "deep/*.csv"],
  ];
  const folder = aProject(filled([...open, ...closed]));
  expect(readIn(folder, [...open, ...closed])).toEqual(open);
});

test("a store is closed whatever its folder is called", () => {
  const store = ["evaluations.sqlite", "evaluations.sqlite-wal", "bodies/a", "seals/a", "drafts/a"];
  const open = ["runs/notes.txt", "bodies/a"];
  const closed = store.map((name) => `runs/${name}`);
  const folder = aProject(filled([...open, ...closed]));
  expect(readIn(folder, [...open, ...closed])).toEqual(open);
});

test("links are read where they stay inside and lead to nothing that is closed", () => {
  const outside = aProject(filled(["secret.txt"]));
  const folder = aProject(filled(["data/a.txt", "data/.env", ".git/config", "plain/b.txt"]));
  const links = {
    ...{ "to-outside": outside, "to-a-file-outside": join(outside, "secret.txt"), "to-itself": folder },
    ...{ "to-data": join(folder, "data"), "to-a-key": join(folder, "data/.env") },
    ...{
      "to-git": join(folder, ".git"),
      nowhere: join(folder, "missing"),
      "plain/round": join(folder, "data"),
    },
  };
  for (const [name, end] of Object.entries(links)) symlinkSync(end, join(folder, name));
  const open = ["data/a.txt", "plain/b.txt", "to-data/a.txt", "plain/round/a.txt"];
  const closed = [
    ...["to-outside/secret.txt", "to-a-file-outside", "to-itself/data/a.txt", "to-data/.env", "to-a-key"],
    ...["to-git/config", "plain/round/.env", "data/.env"],
  ];
  expect(readIn(folder, [...open, ...closed])).toEqual(open);
});

test("packages are read whole, but not the projects that are linked into them", () => {
  const project = aProject(filled(["index.js", ".env"]));
  const open = ["node_modules/p/.env", "node_modules/@s/q/own.pem", "node_modules/linked/i.js"];
  const folder = aProject(filled([...open.slice(0, 2), "node_modules/.store/node_modules/linked/i.js"]));
  symlinkSync(join(folder, "node_modules/.store/node_modules/linked"), join(folder, "node_modules/linked"));
  symlinkSync(project, join(folder, "node_modules/mine"));
  symlinkSync(project, join(folder, "node_modules/@s/mine"));
  const closed = ["node_modules/mine/.env", "node_modules/@s/mine/.env", "node_modules/mine/index.js"];
  expect(readIn(folder, [...open, ...closed])).toEqual(open);
  const alone = join(folder, "node_modules");
  expect(readIn(alone, ["p/.env", "mine/.env"])).toEqual(["p/.env"]);
});

test("a folder of many files beside a key takes few words to name", () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `image-${at}.png`);
  const folder = aProject(
    filled([...names, "image", "image-7.png.key", ".env", "Ökonomie.txt", "😀.txt", "😁.pem"]),
  );
  expect(readablePaths([folder]).length).toBeLessThan(40);
  const asked = ["image", "image-7.png", "image-77.png", "Ökonomie.txt", "😀.txt"];
  expect(readIn(folder, [...asked, "image-7.png.key", ".env", "😁.pem"])).toEqual(asked);
});

test("what lies below so many names is taken as it is", () => {
  const folder = aProject(filled(["deep/.env", "deep/er/.env", "a"]));
  expect(readablePaths([folder], 3)).toEqual([join(folder, "a"), join(folder, "deep/er")]);
  expect(readIn(folder, ["deep/.env", "deep/er/.env"])).toEqual([]);
});

test("a key that is put beside an evaluation after its first run is closed to the next", async () => {
  const folder = aProject({
    "a.eval.ts": `
      import { readFileSync } from "node:fs";
      export default {
        name: "reads",
        models: [["scripted", "none"]],
        problems: ["data/a.txt", "data/prod.env"],
        buildAgent: (provider, model, tools, path) => () => readFileSync(import.meta.dirname + "/" + path, "utf8"),
        resultChecker: () => true,
      };`,
    "data/a.txt": "text",
    "package.json": "{}",
  });
  const run = async (options = {}) => {
    const { logs } = await runFile(join(folder, "a"), options);
    return logs.map(({ result, failure }) => result ?? failure?.message);
  };
  expect(await run({ problems: ["data/a.txt"] })).toEqual(["text"]);
  const key = join(folder, "data/prod.env");
  writeFileSync(key, "KEY");
  const refusal = expect.stringContaining(`permissions: { read: [${JSON.stringify(key)}] }`);
  expect(await run()).toEqual(["text", refusal]);
  expect(await run({ permissions: { read: [key] } })).toEqual(["text", "KEY"]);
});
