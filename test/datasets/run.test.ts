import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadDefinition } from "../../src/local/load-definition.ts";
import { codeFile } from "../fixtures/bundle/code-file.ts";
import { evalFile, runFile } from "../fixtures/run/run-file.ts";

test("rows of a file beside the evaluation are its problems", async () => {
  const { logs } = await runFile("sums");
  expect(logs.map(({ problem, correct, tags }) => [problem, correct, tags])).toEqual([
    ["1 + 1", true, ["easy"]],
    ["20 + 22", true, ["easy", "large"]],
    ["1000 + 1", true, ["large"]],
  ]);
});

test("a run's process holds nothing of what reads them", async () => {
  const { bundle } = await loadDefinition(evalFile("sums"));
  const text = readFileSync(codeFile(bundle), "utf8");
  expect(text).toContain("sums.csv");
  expect(text).not.toContain("a quote is opened and never closed");
});
