import { expect, test } from "vitest";
import { AgentEvaluator } from "../../../src/index.ts";
import { startedModelServer } from "../../fixtures/models/started-model-server.ts";
import { inProcess } from "../../fixtures/run/in-process-options.ts";

const started = startedModelServer();

test.each([
  ["says what it used", { input_tokens: 900, output_tokens: 40 }, { inputTokens: 900, outputTokens: 40 }],
  ["does not", undefined, null],
])("a paid answer of no known shape that %s is asked for once", async (_what, usage, counted) => {
  started.server.disturb = () => ({ kind: "raw", body: { id: "msg_1", content: "Lima", usage } });
  const prices = { "anthropic/claude-haiku-4-5": { input: 1, output: 5 } };
  const evaluator = new AgentEvaluator(inProcess({ models: [["anthropic", "claude-haiku-4-5"]], prices }));
  const [entry] = (await evaluator.evaluate()).logs;
  expect(started.server.sent).toHaveLength(1);
  expect(entry).toMatchObject({
    failure: { cause: "provider_error", message: expect.stringContaining("no readable reply") },
    usage: counted,
    costUsd: counted === null ? null : 0.0011,
  });
});
