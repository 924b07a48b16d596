import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blocksOf, REPO } from "../fixtures/docs/readme.ts";
import { drawRooms } from "../fixtures/house/draw-rooms.ts";
import { importsOf } from "../fixtures/house/imports.ts";

const PAGE = readFileSync(join(REPO, "ARCHITECTURE.md"), "utf8");
const read = (path: string): string => readFileSync(join(REPO, path), "utf8");

test("the tree names every folder of src, and none that is not there", () => {
  const [tree = ""] = blocksOf("text", PAGE);
  const named = tree.split("\n").flatMap((line) => {
    const [room, parts = ""] = [/^ {2}(\w+)\//.exec(line)?.[1], line.split("·")[1]];
    if (room === undefined) return [];
    return [room, ...[...parts.matchAll(/(\w+)\//g)].map(([, part]) => `${room}/${part}`)];
  });
  const folders = globSync("{*,*/*}/", { cwd: join(REPO, "src") });
  expect(named.toSorted()).toEqual(folders.toSorted());
});

test("the diagram is what the rooms import", () => {
  const paths = globSync("{src,functions,stacks}/**/*.{ts,tsx}", { cwd: REPO });
  const drawn = drawRooms(new Map(paths.map((path) => [path, read(path)])));
  expect(blocksOf("mermaid", PAGE)).toEqual([`${drawn}\n`]);
});

describe("the walk and the table", () => {
  const parts = PAGE.slice(PAGE.indexOf("## One run"))
    .split(/\n\n|\n(?=\|)/)
    .map((part) => ({ part, ...namesIn(part) }))
    .filter(({ paths, symbols }) => paths.length + symbols.length > 0);

  test("lead to files and folders that are there", () => {
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.flatMap(({ paths }) => paths).filter((path) => !existsSync(join(REPO, path)))).toEqual([]);
  });

  test("name what the file beside it declares", () => {
    const lost = parts.flatMap(({ paths, symbols }) => {
      const code = paths.filter((path) => path.endsWith(".ts")).map(read);
      return symbols.filter((name) => !code.some((text) => declares(text, name)));
    });
    expect(lost).toEqual([]);
  });

  test.each([
    ["## One run on your laptop", ["src/cli/main.ts", "src/child.ts"]],
    [
      "## The same run in AWS",
      [...globSync("functions/*.ts", { cwd: REPO }), "src/deploy/packer-process.ts"],
    ],
  ])("%s: what starts the process leads to every file", (heading, starts) => {
    const [, section = ""] = PAGE.split(`${heading}\n`);
    const [walk = ""] = section.split("\n## ");
    const reached = filesFrom(starts);
    const files = namesIn(walk).paths.filter((path) => path.endsWith(".ts") && path.startsWith("src/"));
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((path) => !reached.has(path))).toEqual([]);
  });
});

/** The paths and the names of code in a text, which stand in backticks. */
function namesIn(text: string): { paths: string[]; symbols: string[] } {
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);
  return {
    paths: quoted.filter((name) => /^(?:src|functions|stacks|evals)(?:\/|$)/.test(name)),
    symbols: quoted.filter(
      (name) => /^[a-z]+[A-Z]\w*$|^[A-Z]\w+$/.test(name) && name !== "POST" && name !== "FILE",
    ),
  };
}

/** Everything that is loaded, now or later, by these files. */
function filesFrom(starts: readonly string[]): Set<string> {
  const seen = new Set(starts);
  for (const path of seen) {
    for (const imported of importsOf(path, read(path)))
      if (imported.startsWith("src/") && existsSync(join(REPO, imported))) seen.add(imported);
  }
  return seen;
}

const declares = (text: string, name: string): boolean =>
  new RegExp(`export (?:async )?(?:const|function\\*?|class|interface|type) ${name}\\b`).test(text);
