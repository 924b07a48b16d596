import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder } from "../fixtures/files/a-folder.ts";
import { runFile } from "../fixtures/run/run-file.ts";

const checkWithKills = async (times: number) => {
  const folder = aFolder();
  const marks = join(folder, "marks");
  const { logs } = await runFile("killed-checker", {
    problems: [{ marks, times }],
    checker: { permissions: { spawn: true, read: [folder], write: [folder] } },
  });
  return { entry: logs[0], checks: readFileSync(marks, "utf8") };
};

test("a checker that was killed from outside is tried once more", async () => {
  const { entry, checks } = await checkWithKills(1);
  expect([checks, entry?.correct, entry?.failure]).toEqual(["xx", true, null]);
});

test("one that is killed again is no verdict, and is not tried for ever", async () => {
  const { entry, checks } = await checkWithKills(5);
  expect([checks, entry?.correct]).toEqual(["xx", null]);
  expect(entry?.failure).toMatchObject({
    cause: "checker_error",
    message: expect.stringContaining("SIGKILL"),
  });
});
