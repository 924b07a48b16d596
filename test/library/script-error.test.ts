import { join } from "node:path";
import { expect, test } from "vitest";
import { aProject } from "../fixtures/files/a-project.ts";
import { runNode } from "../fixtures/run/run-script.ts";

const OURS = join(import.meta.dirname, "../../src");
const SCRIPT = `import { AgentEvaluator } from ${JSON.stringify(join(OURS, "index.ts"))};
const evaluator = new AgentEvaluator({
  models: [["openai", "gpt-5-mini"]], problems: ["a"], store: false,
  buildAgent: () => () => "b", resultChecker: () => true,
});
await evaluator.evaluate();
`;

test("what is refused in a script is told with the script's own line, and none of ours", async () => {
  const folder = aProject({ "echo.mts": SCRIPT });
  const { code, stderr } = await runNode(["echo.mts"], { folder, env: { OPENAI_API_KEY: "" } });
  expect(code).toBe(1);
  expect(stderr).toContain("openai: set OPENAI_API_KEY\n");
  expect(stderr).toMatch(/^ +at .*echo\.mts:6:\d+/m);
  expect(stderr).not.toContain(OURS);
});
