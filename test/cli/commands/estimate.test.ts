import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { aProject } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const FILE = "evals/steady.eval.ts";
const STEADY = readFileSync(evalFile("steady"), "utf8");

test("an estimate runs one problem per model, keeps it, and goes by it from then on", async () => {
  const cwd = aProject({ [FILE]: STEADY });
  const first = await runCli(["estimate", FILE, "--trials", "2"], { cwd });
  expect([first.code, first.stderr]).toEqual([0, ""]);
  expect(first.stdout).toMatch(/steady {2}from 2 runs, some of them now \(steady-\w+\)/);
  expect(first.stdout).toMatch(/scripted\/right expected +20 +\S+ +\$\S+ +\$\S+ +\S+/);
  expect(first.stdout).toMatch(/all high +40 /);
  const [, pilot = ""] = /--resume (\S+) --grow/.exec(first.stdout) ?? [];
  const second = await runCli(["estimate", FILE, "--json"], { cwd });
  expect(JSON.parse(second.stdout)).toMatchObject({
    name: "steady",
    seen: 2,
    pilot: null,
    total: { runs: 20 },
  });
  const rest = JSON.parse(
    (await runCli(["run", FILE, "--resume", pilot, "--grow", "--json"], { cwd })).stdout,
  );
  expect([rest.evaluation.grownFrom, rest.logs.length]).toEqual([pilot, 20]);
});

test("a run that may cost too much is refused where nobody can be asked, and one that does not is run", async () => {
  const cwd = aProject({ [FILE]: STEADY });
  const run = (usd: string) => runCli(["run", FILE, "--limit", "1", "--confirm-above", usd], { cwd });
  const refused = await run("0.000001");
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toMatch(
    /This may cost \$\S+ to \$\S+, more than .* Raise --confirm-above or leave it out/,
  );
  expect((await run("1000")).code).toBe(0);
});

test("what ran to learn the cost is part of the run that follows, and is not paid for twice", async () => {
  const cwd = aProject({ [FILE]: STEADY });
  const flags = ["--confirm-above", "1000", "--trials", "2", "--json"];
  const { code, stdout, stderr } = await runCli(["run", FILE, ...flags], { cwd });
  const { evaluation, logs } = JSON.parse(stdout);
  expect([code, stderr]).toEqual([
    0,
    `+ 2 runs of ${evaluation.grownFrom} are kept, 38 are new; together they are ${evaluation.id}\n`,
  ]);
  expect([evaluation.status, evaluation.trials, logs.length]).toEqual(["finished", 2, 40]);
});

test("what has no price is unknown, never free", async () => {
  const cwd = aProject({ [FILE]: STEADY.replace(/ {2}prices: .*\n/, "") });
  const { stdout } = await runCli(["estimate", FILE], { cwd });
  expect(stdout).toMatch(/scripted\/right low +10 +\S+ +unknown/);
  const { code, stderr } = await runCli(["run", FILE, "--confirm-above", "5"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("The cost is unknown, because a price is.")]);
});
