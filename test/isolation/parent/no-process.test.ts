import { expect, onTestFinished, test } from "vitest";
import { aFolder } from "../../fixtures/files/a-folder.ts";
import { readLines, startChildWithin } from "../../fixtures/processes/start-child.ts";
import { runFile } from "../../fixtures/run/run-file.ts";

test("where no process can be started, each run says so and the evaluation ends in order", async () => {
  const node = process.execPath;
  onTestFinished(() => {
    process.execPath = node;
  });
  process.execPath = "/nowhere/node";
  const { logs, record } = await runFile("misbehaving", { problems: ["answers"], trials: 2 });
  expect(record.status).toBe("finished");
  const message = expect.stringMatching(
    /the run's process could not be started: spawn \/nowhere\/node ENOENT/,
  );
  const failure = { cause: "crashed", fault: "infrastructure", message };
  expect(logs.map((entry) => entry.failure)).toEqual([failure, failure]);
});

test("where no file number is left, a process that cannot start is told and the others live on", async () => {
  const child = startChildWithin("n 64", "start-until-refused.ts", [aFolder()]);
  expect(await readLines(child)).toEqual(["true EMFILE"]);
});
