import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../../fixtures/cli/start-cli.ts";
import { aProject } from "../../fixtures/files/a-project.ts";

const FILE = "refused.eval.ts";
const REFUSED = `
import { defineEvaluation } from "agent-evaluator";
export default defineEvaluation({
  name: "refused",
  models: [["openai-compatible:mine", "some"], ["scripted", "steady"]],
  problems: Array.from({ length: 12 }, (_, at) => ({ id: \`p\${at}\`, problem: at, expected: "yes" })),
  isolation: "none",
  concurrency: 1,
  modelOptions: { "openai-compatible:mine": { baseUrl: process.env.MINE } },
  buildAgent: (provider, model) => async () => {
    const reply = await provider.generate({ model, messages: [{ role: "user", content: "?" }] });
    return reply.content;
  },
  resultChecker: (result, expected) => result === expected,
  scripts: { steady: [{ say: "yes" }] },
});
`;

let refuses = true;
let calls = 0;
const server = createServer((request, response) => {
  calls++;
  request.resume();
  response.writeHead(refuses ? 401 : 200, { "content-type": "application/json" });
  const message = { role: "assistant", content: "yes" };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const answer = { id: "1", object: "chat.completion", created: 1, model: "some", usage };
  response.end(
    JSON.stringify(
      refuses
        ? { error: { message: "wrong key", type: "authentication_error" } }
        : { ...answer, choices: [{ index: 0, message, finish_reason: "stop" }] },
    ),
  );
});
let env: Record<string, string>;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  env = {
    MINE: `http://127.0.0.1:${port}/v1`,
    MINE_API_KEY: "a-wrong-key-of-a-test",
    MINE_BASE_URL: `http://127.0.0.1:${port}/v1`,
  };
});
afterAll(() => void server.close());

test("a provider that refuses the key stops after 5 runs, others go on, and a resume runs the rest", async () => {
  const cwd = aProject({ [FILE]: REFUSED });
  const run = (...flags: string[]) => runCli(["run", FILE, ...flags], { cwd, env });
  const first = await run();
  expect([first.code, calls]).toEqual([1, 5]);
  expect(first.stderr).toContain("5 runs of openai-compatible:mine failed alike and none got an answer");
  expect(first.stderr).toContain("no further run of it starts");
  expect(first.stdout).toContain("stopped after 17 of 24 runs");
  const [, id = ""] = /--resume (\S+) --retry-failed/.exec(first.stdout) ?? [];
  refuses = false;
  const last = await run("--resume", id, "--retry-failed", "--json");
  expect([last.code, calls]).toEqual([0, 17]);
  expect(JSON.parse(last.stdout).stats["openai-compatible:mine/some"]).toMatchObject({
    correct: 12,
    failed: 0,
  });
});

test("--keep-going starts all runs anyway", async () => {
  const cwd = aProject({ [FILE]: REFUSED });
  refuses = true;
  calls = 0;
  const { stderr } = await runCli(["run", FILE, "--keep-going", "--quiet"], { cwd, env });
  expect([calls, stderr]).toEqual([12, ""]);
});
