import { describe, expect, test, vi } from "vitest";
import type { EvaluationOptions } from "../../src/index.ts";
import { KEYS } from "../fixtures/gateway/open-gateway.ts";
import { startedModelServer } from "../fixtures/models/started-model-server.ts";
import { runFile } from "../fixtures/run/run-file.ts";

const models = startedModelServer();

const answerChoice = () =>
  models.server.mock.on(
    { model: "judge" },
    {
      toolCalls: [
        { name: "select_choice", arguments: JSON.stringify({ reasons: "The same.", choice: "C" }) },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    },
  );

const NOTHING = { agents: null, checkers: null, key: null, gateway: false, maySpawn: false, mayWrite: false };

async function surroundings(
  options: Partial<EvaluationOptions>,
): Promise<{ agent: unknown; checker: unknown }> {
  vi.stubEnv("FOR_THE_AGENT", "a");
  vi.stubEnv("FOR_THE_CHECKER", "c");
  const { logs } = await runFile("checker-own", { ...options, problems: ["anything"] });
  expect(logs).toMatchObject([{ failure: null, correct: true }]);
  return { agent: logs[0]?.result, checker: JSON.parse(logs[0]?.reason ?? "null") };
}

describe("a checker with means of its own", () => {
  test("scores with a model of autoevals, without a key and counted as judging", async () => {
    answerChoice();
    const { logs, store } = await runFile("checker-own", { checker: { gateway: true } });
    expect(logs).toMatchObject([
      {
        ...{ failure: null, correct: true, score: 1, usage: null, turns: 0, result: NOTHING },
        reason: expect.stringContaining("The same."),
        judgeUsage: { inputTokens: 100, outputTokens: 10 },
        judgeCostUsd: 0.12,
      },
    ]);
    expect(models.server.sent).toMatchObject([
      { path: "/v1/chat/completions", headers: { authorization: `Bearer ${KEYS.OPENAI_API_KEY}` } },
    ]);
    const [entry] = logs;
    const body = entry && (await store.readBody(entry.evaluationId, entry.runId, entry.round));
    expect(body?.transcript).toEqual([]);
  });

  test("calls the same judge for every model, also for one of a server of the user's", async () => {
    vi.stubEnv("LOCAL_BASE_URL", "http://127.0.0.1:9/v1");
    answerChoice();
    const { logs } = await runFile("checker-own", {
      models: [["openai-compatible:local", "small"]],
      checker: { gateway: true },
    });
    expect(logs).toMatchObject([{ failure: null, correct: true, judgeCostUsd: 0.12 }]);
  });

  test("has what the agent has by default", async () => {
    const permissions = { write: ["/tmp/checked"] };
    const { agent, checker } = await surroundings({ env: ["FOR_THE_AGENT"], permissions });
    expect(agent).toEqual({ ...NOTHING, agents: "a", mayWrite: true });
    expect(checker).toEqual(agent);
  });

  test("has its own permissions and variables in place of the agent's", async () => {
    const { agent, checker } = await surroundings({
      env: ["FOR_THE_AGENT", "OPENAI_API_KEY"],
      permissions: { spawn: true },
      checker: { env: ["FOR_THE_CHECKER"], permissions: { write: ["/tmp/checked"] } },
    });
    expect(agent).toEqual({ ...NOTHING, agents: "a", key: "[redacted OPENAI_API_KEY]", maySpawn: true });
    expect(checker).toEqual({ ...NOTHING, checkers: "c", mayWrite: true });
  });

  test("is confined by permissions of its own beside a trusted agent", async () => {
    const { agent, checker } = await surroundings({ trusted: true, checker: { permissions: {} } });
    expect(agent).toMatchObject({ maySpawn: true, mayWrite: true });
    expect(checker).toEqual(NOTHING);
  });

  test("leaves the gateway to itself, or to the agent", async () => {
    const own = await surroundings({ checker: { gateway: true, env: ["OPENAI_API_KEY"] } });
    expect(own).toMatchObject({ agent: NOTHING, checker: { gateway: true } });
    expect(own.checker).not.toMatchObject({ key: KEYS.OPENAI_API_KEY });
    const agents = await surroundings({ gateway: true, checker: { gateway: false } });
    expect(agents).toMatchObject({ agent: { gateway: true }, checker: NOTHING });
  });

  test("reaches the gateway by its context where there is no isolation", async () => {
    const { agent, checker } = await surroundings({ isolation: "none", checker: { gateway: true } });
    expect([agent, checker]).toMatchObject([{ gateway: false }, { gateway: true }]);
  });
});

test("a variable that only the checker may see is hidden from the agent's model calls and its records", async () => {
  vi.stubEnv("FOR_THE_CHECKER_KEY", "a-secret-of-the-checker");
  const { logs } = await runFile("checker-own", {
    problems: ["anything"],
    checker: { env: ["FOR_THE_CHECKER_KEY"] },
    resultChecker: () => ({ correct: true, reason: process.env.FOR_THE_CHECKER_KEY ?? "nothing" }),
    isolation: "none",
  });
  expect(logs).toMatchObject([{ reason: "[redacted FOR_THE_CHECKER_KEY]" }]);
});
