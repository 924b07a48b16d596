import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocksOf, REPO } from "../fixtures/docs/readme.ts";

const PAGE = readFileSync(join(REPO, "ARCHITECTURE.md"), "utf8");

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
