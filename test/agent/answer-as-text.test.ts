import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ModelPair } from "../../src/index.ts";
import { AgentEvaluator, defineTool, exact, SimpleAgent } from "../../src/index.ts";
import { aRunContext, notesOf } from "../fixtures/agent/a-run-context.ts";
import { calling, type Play, playedProvider } from "../fixtures/agent/played-provider.ts";
import { startedModelServer } from "../fixtures/models/started-model-server.ts";
import { inProcess } from "../fixtures/run/in-process-options.ts";

const read = defineTool({
  name: "read",
  description: "Reads a page.",
  input: z.object({}),
  run: () => "Lima is the capital of Peru.",
});
const options = { name: "Tester", objective: "Find it.", model: "m", tools: [read], answer: "text" } as const;

function anAgent(plays: readonly Play[], maxIterations = 20) {
  const provider = playedProvider(...plays);
  const outputSchema = z.object({ city: z.string() });
  const agent = new SimpleAgent({ ...options, provider, outputSchema, maxIterations });
  return { agent, provider, context: aRunContext() };
}

describe("an answer as text", () => {
  test("is asked for with the schema, and without the tool finish", async () => {
    const { agent, provider, context } = anAgent([calling(["read", {}]), { content: '{"city":"Lima"}' }]);
    expect(await agent.run(context)).toEqual({ city: "Lima" });
    for (const { tools, toolChoice, outputSchema } of provider.requests) {
      expect(tools?.map(({ name }) => name)).toEqual(["read"]);
      expect(toolChoice).toBe("auto");
      expect(outputSchema).toMatchObject({ properties: { city: { type: "string" } } });
    }
    expect(provider.requests[0]?.messages[0]?.content).toContain("Answer with JSON");
    expect(notesOf(context)).toEqual([]);
  });

  test("is shown to the model once when it does not fit", async () => {
    const { agent, provider, context } = anAgent([{ content: '{"city":7}' }, { content: '{"city":"Lima"}' }]);
    expect(await agent.run(context)).toEqual({ city: "Lima" });
    expect(provider.requests[1]?.messages.at(-1)?.content).toMatch(/The answer does not fit: city: .*string/);
    const again = anAgent([{ content: '{"city":7}' }, { content: "Lima, I think" }]);
    await expect(again.agent.run(again.context)).rejects.toThrow("does not fit the output schema");
  });

  test("is asked for without any tool at the limits", async () => {
    const plays = [calling(["read", {}]), { content: '{"city":"Lima"}' }];
    const { agent, provider, context } = anAgent(plays, 2);
    expect(await agent.run(context)).toEqual({ city: "Lima" });
    expect(provider.requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "none"]);
  });
});

const started = startedModelServer();

test.each<readonly [ModelPair, object]>([
  [["openai", "gpt-5-mini"], { text: { format: { type: "json_schema", strict: true } } }],
  [["anthropic", "claude-haiku-4-5"], { output_config: { format: { type: "json_schema" } } }],
  [["gemini", "gemini-3-flash"], { generationConfig: { responseMimeType: "application/json" } }],
])("%j gets the schema as its provider's structured output", async (pair, inBody) => {
  started.server.mock.on({}, { content: '{"value":"Lima"}' });
  const evaluator = new AgentEvaluator(
    inProcess({
      models: [pair],
      buildAgent: (provider, model) =>
        new SimpleAgent({ ...options, provider, model, outputSchema: z.strictObject({ value: z.string() }) }),
      resultChecker: exact(),
    }),
  );
  expect((await evaluator.evaluate()).logs).toMatchObject([{ failure: null, correct: true }]);
  expect(started.server.last.body).toMatchObject(inBody);
});
