import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { aProject } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const CAPITALS = readFileSync(evalFile("capitals"), "utf8").replace(/ *console.log.*\n/, "");

/** Times and ids differ from run to run. */
const mask = (text: string): string[] =>
  text
    .replaceAll(/capitals-\w+/g, "capitals-ID")
    .replaceAll(/ +\d+(\.\d+)?m?s/g, " TIME")
    .replaceAll(/node \S*main\.ts/g, "agent-evaluator")
    .trimEnd()
    .split("\n");

test("without a terminal there are plain lines, then the table, the failures and where to look next", async () => {
  const cwd = aProject({ "capitals.eval.ts": CAPITALS });
  const { code, stdout, stderr } = await runCli(["run", "capitals.eval.ts", "--concurrency", "1"], { cwd });
  const lines = mask(stdout);
  expect(lines.slice(0, 12)).toEqual([
    "capitals  6 runs of 2 models  capitals-ID",
    "1/6  ✓ scripted/steady  Capital of France?  Paris TIME",
    "2/6  ✓ scripted/shaky   Capital of France?  Paris TIME",
    "3/6  ✓ scripted/steady  Capital of Peru?  Lima TIME",
    "4/6  ✗ scripted/shaky   Capital of Peru?  Quito (expected Lima) TIME",
    "5/6  ✓ scripted/steady  Capital of Japan?  Tokyo TIME",
    "6/6  ! scripted/shaky   Capital of Japan?  provider_error: the script answers provider_error TIME",
    "",
    "capitals  6 runs finished in TIME",
    "",
    expect.stringMatching(/^model +accuracy +correct +cost +p50 +p95 +tokens$/),
    "scripted/steady  100% 44–100  3/3           unknown TIME TIME    36/9",
  ]);
  expect(lines.slice(13)).toEqual([
    "",
    "Accuracy: correct / (scored + the model's own failures); 95% interval for problems like these.",
    "With fewer than 20 problems, intervals are approximate.",
    "Lost: failed because of your code or the infrastructure; they do not count for the accuracy.",
    "These models are scripted: replies come from the evaluation file.",
    "The numbers show how the evaluator works, not how good a model is.",
    "",
    "Compared",
    expect.stringMatching(
      /^No significant difference between scripted\/steady and scripted\/shaky: \+50.0 points/,
    ),
    "",
    "Wrong answers",
    expect.stringMatching(
      /^✗ \w{8} {2}scripted\/shaky {2}Capital of Peru\? {2}expected Lima, answered Quito$/,
    ),
    "",
    "Failures",
    "! 1 × provider_error  blamed on infrastructure  scripted/shaky  the script answers provider_error",
    "",
    "Next",
    expect.stringMatching(/^agent-evaluator show capitals-ID --failed +every failure$/),
    expect.stringMatching(/^agent-evaluator show capitals-ID --run \w{8} {2}one failure, step by step$/),
  ]);
  expect(stdout).not.toContain("\x1b");
  expect([code, stderr]).toEqual([0, ""]);
});

test("--quiet prints only the table", async () => {
  const cwd = aProject({ "capitals.eval.ts": CAPITALS });
  const { stdout, stderr } = await runCli(["run", "capitals.eval.ts", "--quiet"], { cwd });
  expect(mask(stdout).map((line) => line.split(/ +/)[0])).toEqual([
    "model",
    "scripted/steady",
    "scripted/shaky",
  ]);
  expect(stderr).toBe("");
});

test("several files end with one table over all of them; with --quiet there is no other", async () => {
  const cwd = aProject({ "a.eval.ts": CAPITALS, "b.eval.ts": CAPITALS.replace('"capitals"', '"cities"') });
  const quiet = await runCli(["run", "a.eval.ts", "b.eval.ts", "--quiet"], { cwd });
  const { stdout } = await runCli(["run", "a.eval.ts", "b.eval.ts"], { cwd });
  const rows = [
    ["evaluation", "model", "accuracy"],
    ["capitals", "scripted/steady", "100%"],
    ["capitals", "scripted/shaky", "50.0%"],
    ["cities", "scripted/steady", "100%"],
    ["cities", "scripted/shaky", "50.0%"],
  ];
  expect(mask(quiet.stdout).map((line) => line.split(/ +/).slice(0, 3))).toEqual(rows);
  const lines = mask(stdout);
  expect(lines.at(-6)).toBe("All evaluations");
  expect(lines.slice(-5).map((line) => line.split(/ +/).slice(0, 3))).toEqual(rows);
});

const LOST = "No run could be scored: they failed because of infrastructure errors (provider_error)";

test.each([
  ["", "stdout"],
  ["--quiet", "stderr"],
  ["--json", "stderr"],
] as const)("without any scored run something broke: exit 1, said once %s", async (flag, where) => {
  const lost = CAPITALS.replaceAll(/say: "\w+"/g, 'fail: "provider_error"');
  const cwd = aProject({ "a.eval.ts": lost });
  const exit = await runCli(["run", "a.eval.ts", ...(flag === "" ? [] : [flag])], { cwd });
  expect(exit.code).toBe(1);
  expect(exit[where].split(LOST)).toHaveLength(2);
  expect(exit[where === "stdout" ? "stderr" : "stdout"]).not.toContain(LOST);
});

test("an evaluation whose own code always fails exits with 1 and says what to do", async () => {
  const cwd = aProject({
    "a.eval.ts": CAPITALS.replace("return content", "throw new Error(process.env.NONE)"),
  });
  const { code, stdout } = await runCli(["run", "a.eval.ts"], { cwd });
  expect(code).toBe(1);
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "No run could be scored: they failed because of your code (agent_error); the numbers say nothing about the " +
      "models. What to do: correct the agent, its tools or its set-up as the message says.",
  );
});

test.each(["--quiet", "--json"])("%s says what to do about a set-up fault, on stderr", async (flag) => {
  const refused = CAPITALS.replace(
    "return content",
    'return process.getBuiltinModule("fs").readdirSync("/root")',
  );
  const cwd = aProject({ "a.eval.ts": refused });
  const { code, stderr } = await runCli(["run", "a.eval.ts", "--isolation", "process", flag], { cwd });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^No run could be scored: they failed because of your code .*\nFailures\n/);
  expect(stderr).toContain(
    'a run may not read /root; add `permissions: { read: ["/root"] }` to the evaluation',
  );
});

test("a large result is whole in the JSON", async () => {
  const large = CAPITALS.replace("return content", 'return "x".repeat(200_000)');
  const cwd = aProject({ "large.eval.ts": large });
  const { stdout } = await runCli(["run", "large.eval.ts", "--json", "--limit", "1"], { cwd });
  expect(JSON.parse(stdout).logs[0].result).toHaveLength(200_000);
});

test("what a definition prints with --json never reaches stdout, even while it is loaded", async () => {
  const noisy = `console.log("loading");\nprocess.stdout.write("more\\n");\n${CAPITALS}`;
  const cwd = aProject({ "noisy.eval.ts": noisy });
  const { stdout, stderr } = await runCli(["run", "noisy.eval.ts", "--json"], { cwd });
  expect(JSON.parse(stdout).logs).toHaveLength(6);
  expect(stderr).toBe("loading\nmore\n");
});
