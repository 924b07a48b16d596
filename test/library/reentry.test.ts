import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentEvaluator, type Failure } from "../../src/index.ts";
import { aFolder } from "../fixtures/files/a-folder.ts";
import { inProcess } from "../fixtures/run/in-process-options.ts";
import { readOutput, runNode, runScript } from "../fixtures/run/run-script.ts";

const REPO = join(import.meta.dirname, "../..");

test("a script may evaluate several times, one after another and at once", async () => {
  const folder = aFolder();
  const temp = aFolder();
  const output = await readOutput<{ learned: string; answers: string[][] }>(
    runScript("two-evaluations.ts", [], { folder, env: { TMPDIR: temp } }),
  );
  expect(output.learned).toMatch(/^one\+one [ab]$/);
  expect(output.answers).toEqual(["one", output.learned, "three", "four"].map((answer) => [answer, answer]));
  const notes = readFileSync(join(folder, "notes.txt"), "utf8").trim().split("\n");
  const count = (note: string) => notes.filter((line) => line === note).length;
  // Eight runs, each in a process of its own, and checkers; only the later evaluations come past the first.
  expect(count("before")).toBeGreaterThan(8);
  expect(count("between")).toBeGreaterThan(6);
  expect(count("between")).toBeLessThan(count("before"));
  expect(count("after")).toBe(1);
  const bundles = readdirSync(temp, { recursive: true, encoding: "utf8" });
  expect(bundles.filter((name) => /two-evaluations|\.[cm]js$/.test(name))).not.toEqual([]);
  expect(bundles.filter((name) => name.includes("earlier"))).toEqual([]);
});

test("a script's arguments are there again in every process", async () => {
  const output = await readOutput(runScript("with-arguments.ts", ["Lima", "--file", "a b"]));
  expect(output).toEqual([["Lima", "--file", "a b"]]);
});

test.each([
  ["ends", /the script ended before it reached this evaluate\(\) again/],
  ["throws", /RangeError: ONLY_HERE is not set \(at .*depend-on-variable\.ts:\d+:\d+\)/],
])("a script that %s before it evaluates again says so in every entry", async (then, message) => {
  const failures = await readOutput<Failure[]>(
    runScript("depend-on-variable.ts", [], { env: { ONLY_HERE: "yes", THEN: then } }),
  );
  expect(failures).toHaveLength(2);
  for (const failure of failures) expect(failure.message).toMatch(message);
});

const ONE_LINER = `
const { AgentEvaluator } = await import("agent-evaluator");
await new AgentEvaluator({
  models: [["scripted", "none"]], problems: ["a"], store: false, buildAgent: () => () => "b", resultChecker: () => true,
}).evaluate().catch((error) => console.error(error.code, error.message));
`;
const WAYS_OUT = /isolation\.no_reentry .*\.eval\.ts.*agent-evaluator run.*isolation: "none"/;

test("with node -e the ways out are named", async () => {
  const { stderr } = await runNode(["--input-type=module", "-e", ONE_LINER, "an argument"], { folder: REPO });
  expect(stderr).toMatch(WAYS_OUT);
  expect(stderr).toContain("in a REPL or with node -e");
});

test("in a REPL the ways out are named", async () => {
  const line = ONE_LINER.replaceAll("\n", " ");
  const { stderr } = await runNode(["-i"], { folder: REPO, input: `${line}\n.exit\n` });
  expect(stderr).toMatch(WAYS_OUT);
});

test("inside node --test the ways out are named", async () => {
  const file = join(aFolder(), "some.test.mjs");
  writeFileSync(file, ONE_LINER.replace('"agent-evaluator"', JSON.stringify(join(REPO, "src/index.ts"))));
  const { stdout, stderr } = await runNode(["--test", file]);
  expect(stdout + stderr).toMatch(WAYS_OUT);
  expect(stdout + stderr).toContain("inside a test runner (node --test)");
});

test("inside Vitest the ways out are named, and one of them works", async () => {
  const { isolation: _, ...options } = inProcess();
  const evaluation = new AgentEvaluator(options).evaluate();
  await expect(evaluation).rejects.toMatchObject({ code: "isolation.no_reentry" });
  await expect(evaluation).rejects.toThrow(/inside a test runner \(.*\.eval\.ts.*isolation: "none"/);
  const { logs } = await new AgentEvaluator({ ...options, isolation: "none" }).evaluate();
  expect(logs[0]?.correct).toBe(true);
});
