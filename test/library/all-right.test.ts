import { expect, test } from "vitest";
import { readOutput, runScript } from "../fixtures/run/run-script.ts";

test("eight perfect answers at concurrency 8 are 8/8, twenty times, each in a process of its own", async () => {
  const output = await readOutput<{ scores: string[]; pids: number }>(runScript("answer-all-right.ts"));
  expect(output.scores).toEqual(Array(20).fill("8/8"));
  // Numbers of processes are given again after a while, so not all 160 need differ.
  expect(output.pids).toBeGreaterThan(100);
});
