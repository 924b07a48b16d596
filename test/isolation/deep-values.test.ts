import { join } from "node:path";
import { expect, test } from "vitest";
import { MAX_LEVELS } from "../../src/domain/json.ts";
import { aProject } from "../fixtures/files/a-project.ts";
import { runFile } from "../fixtures/run/run-file.ts";

const TOO_DEEP = `nested deeper than ${MAX_LEVELS} levels`;

test.each(["process", "pool", "none"] as const)(
  "in isolation %s an answer or verdict of 3,000 levels fails its own run with a clear message",
  async (isolation) => {
    const { logs } = await runFile("deep-values", { isolation, concurrency: 2 });
    const found = logs.map(({ problem, correct, failure }) => [problem, failure?.cause ?? correct]);
    expect(found).toEqual([
      ["nothing deep", true],
      ["a deep answer", "agent_error"],
      ["a deep error", "agent_error"],
      ["a deep verdict", "checker_error"],
      ["a deep reason", "checker_error"],
      ["a deep score", "checker_error"],
      ["a deep field of its own", "checker_error"],
    ]);
    for (const { failure } of logs.slice(1, -1)) expect(failure?.message).toContain(TOO_DEEP);
  },
);

test("a definition whose problems are 3,000 levels deep is refused, and another one runs", async () => {
  const evaluation = (name: string, problem: string) => `
    let value = 1;
    for (let level = 0; level < 3_000; level++) value = [value];
    export default {
      name: "${name}",
      models: [["scripted", "none"]],
      problems: ["plain", ${problem}],
      buildAgent: () => () => "fine",
      resultChecker: () => true,
    };`;
  const folder = aProject({
    "deep.eval.ts": evaluation("deep", "value"),
    "deep-expected.eval.ts": evaluation("deep-expected", '{ problem: "a", expected: value }'),
    "plain.eval.ts": evaluation("plain", '"another"'),
  });
  for (const name of ["deep", "deep-expected"])
    await expect(runFile(join(folder, name))).rejects.toThrow(TOO_DEEP);
  const { logs } = await runFile(join(folder, "plain"));
  expect(logs.map(({ correct }) => correct)).toEqual([true, true]);
});
