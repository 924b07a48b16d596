import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { makeProject, removeProject } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

let cwd: string;
let id: string;
let runs: Readonly<Record<string, string>>;

beforeAll(async () => {
  const process = readFileSync(evalFile("capitals"), "utf8").replace(
    'isolation: "none"',
    'isolation: "pool"',
  );
  cwd = makeProject({ "evals/capitals.eval.ts": process });
  const { stdout } = await runCli(["run", "evals/capitals.eval.ts", "--json"], { cwd });
  const { evaluation, logs } = JSON.parse(stdout);
  id = evaluation.id;
  runs = Object.fromEntries(
    logs.map((entry: Record<string, string>) => [`${entry.model} ${entry.problemId}`, entry.runId]),
  );
});
afterAll(() => removeProject(cwd));

async function say(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, { cwd });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test("list shows evaluations in a table, and as JSON", async () => {
  const [titles, row, ...rest] = (await say("list")).split("\n");
  expect(titles).toMatch(/^id +status +started +runs +accuracy by model$/);
  expect(row).toMatch(new RegExp(`^${id} +finished +\\S+( \\S+)? +6 +100% steady, 50\\.0% shaky$`));
  expect(rest.join("\n")).toContain(`show ${id}  show details`);
  const { evaluations } = JSON.parse(await say("list", "--json", "--limit", "1", "--name", "capitals"));
  expect(evaluations).toMatchObject([{ id, status: "finished", problemCount: 3 }]);
  expect(await say("list", "--name", "other")).toBe("No evaluation here is named other.\n");
});

test("show prints the newest evaluation with all three accuracies", async () => {
  const page = await say("show");
  expect(page).toContain("2 models × 3 problems × 1 trial · evals/capitals.eval.ts");
  expect(page).toMatch(/model +of scored +of all/);
  expect(page).toMatch(/scripted\/shaky +50.0% 9–91 +1\/2 · 1 lost +/);
  expect(page).toMatch(/scripted\/shaky +50.0% 9–91 +33.3% 6–79 +33.3%/);
  expect(page).toContain(
    "No significant difference between scripted/steady and scripted/shaky: +50.0 points",
  );
  expect(await say("show", id.slice(0, -2))).toBe(page);
});

test("show --json prints the same document as the run did", async () => {
  const document = JSON.parse(await say("show", id, "--json"));
  expect(Object.keys(document)).toEqual(["evaluation", "stats", "report", "logs"]);
  expect(document.logs).toHaveLength(6);
  const failed = JSON.parse(await say("show", id, "--json", "--failed"));
  expect(failed.logs).toMatchObject([{ failure: { cause: "provider_error" } }]);
  expect(failed.stats).toEqual(document.stats);
});

test("show --logs has a line per run, show --failed only failures", async () => {
  const short = (run: string) => runs[run]?.slice(0, 8);
  const lines = (await say("show", id, "--logs")).trimEnd().split("\n");
  expect(lines).toHaveLength(6);
  expect(lines[3]).toBe(`${short("shaky peru")}  ✗ scripted/shaky   Capital of Peru?  Quito (expected Lima)`);
  expect(await say("show", id, "--failed")).toBe(
    `${short("shaky japan")}  ! scripted/shaky   Capital of Japan?  provider_error: the script answers provider_error\n`,
  );
});

test("show --wrong has every wrong answer, also as JSON, and none of the failures", async () => {
  expect(await say("show", "--wrong")).toMatch(
    /^✗ \w{8} {2}scripted\/shaky {2}Capital of Peru\? {2}expected Lima, answered Quito\n$/,
  );
  const { logs } = JSON.parse(await say("show", "--wrong", "--json"));
  expect(logs).toMatchObject([{ correct: false, result: "Quito", failure: null }]);
  const { code, stderr } = await runCli(["show", "--wrong", "--failed"], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining("--failed and --wrong do not go together")]);
});

test("show --run tells one run from the problem to what it printed", async () => {
  const run = runs["shaky peru"] ?? "";
  const page = await say("show", id, "--run", run.slice(0, 10));
  expect(
    page
      .replaceAll(/\b\d+(\.\d+)?m?s\b/g, "0ms")
      .split("\n")
      .filter(Boolean),
  ).toEqual([
    `✗ wrong  scripted/shaky, trial 1  run ${run}`,
    expect.stringMatching(
      /^0ms · (?:0ms waiting for rate limits · )?1 model call · 12 tokens in, 3 out · cost unknown$/,
    ),
    "Problem  peru",
    "  Capital of Peru?",
    "Expected",
    "  Lima",
    "Result",
    "  Quito",
    "Transcript",
    expect.stringMatching(/^ +0ms {2}◆ scripted\/shaky {2}0ms, 12 tokens in, 3 out$/),
    "          user: Capital of Peru?",
    "          assistant: Quito",
    "Printed to stdout  34 bytes",
    "  shaky was asked: Capital of Peru?",
  ]);
  const document = JSON.parse(await say("show", "--run", run, "--json"));
  expect(Object.keys(document)).toEqual(["evaluation", "rounds", "body"]);
  expect(document.body.stdout.head).toBe("shaky was asked: Capital of Peru?\n");
});

test("show says why a run failed", async () => {
  const page = await say("show", "--run", runs["shaky japan"] ?? "");
  expect(page).toContain(
    "Failure: provider_error  blamed on infrastructure\n  the script answers provider_error\n  What to do: ",
  );
});
