import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../fixtures/cli/start-cli.ts";
import { aProject } from "../fixtures/files/a-project.ts";

const OWN = `agent-evaluator-${process.getuid?.()}`;

test("the command's compiled code is kept in a folder of this user alone", async () => {
  const temp = aProject();
  expect(await runCli(["--version"], { cwd: temp, env: { TMPDIR: temp } })).toMatchObject({ code: 0 });
  expect(statSync(join(temp, OWN)).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(temp, OWN, "compiled"))).toHaveLength(1);
  expect(existsSync(join(temp, "node-compile-cache"))).toBe(false);
});

test("nothing is taken from, or put into, a folder that others may write to", async () => {
  const temp = aProject();
  mkdirSync(join(temp, OWN));
  chmodSync(join(temp, OWN), 0o777);
  expect(await runCli(["--version"], { cwd: temp, env: { TMPDIR: temp } })).toMatchObject({ code: 0 });
  expect(readdirSync(join(temp, OWN))).toEqual([]);
  expect(existsSync(join(temp, "node-compile-cache"))).toBe(false);
});
