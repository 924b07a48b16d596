import { expect, test } from "vitest";
import { AgentEvaluator, type EvaluationOptions } from "../../src/index.ts";
import { aFolder } from "../fixtures/files/a-folder.ts";
import { inProcess } from "../fixtures/run/in-process-options.ts";

const WHOLE = Array.from({ length: 5_000 }, (_, index) => `item ${index}`);

const talkative: Partial<EvaluationOptions<string, string, readonly string[]>> = {
  buildAgent: (provider, model) => async (context) => {
    await provider.generate({ model, messages: [{ role: "user", content: "Capital of Peru?" }] });
    context.emit({ kind: "note", text: "thinking" });
    context.emit({ kind: "tool_call", id: "1", tool: "map", input: { of: "Peru" } });
    context.emit({ kind: "tool_result", id: "1", tool: "map", output: "Lima", isError: false });
    return WHOLE;
  },
  resultChecker: (result) => result.length === WHOLE.length,
};

async function evaluateOne(store: string | false) {
  const evaluator = new AgentEvaluator(inProcess({ ...talkative, store }));
  const { logs, evaluation } = await evaluator.evaluate();
  const [entry] = logs;
  if (entry === undefined) throw new Error("no entry");
  return { evaluator, entry, evaluation };
}

test.each([
  ["on disk", () => aFolder()],
  ["nowhere", () => false as const],
])("the whole result and the transcript load on demand when kept %s", async (_where, store) => {
  const { evaluator, entry } = await evaluateOne(store());
  expect(entry).toMatchObject({ correct: true, transcriptSteps: 4 });
  expect(entry.result).toEqual(WHOLE);
  expect(entry.resultBytes).toBe(JSON.stringify(WHOLE).length);
  const body = await evaluator.loadBody(entry);
  expect(body.result).toEqual(WHOLE);
  expect(body.transcript.map(({ kind }) => kind)).toEqual(["model_call", "note", "tool_call", "tool_result"]);
  expect(body.transcript[0]).toMatchObject({ model: "one", reply: { content: "Lima" }, error: null });
});

test("another evaluator loads it from the same store", async () => {
  const store = aFolder();
  const { entry } = await evaluateOne(store);
  const body = await new AgentEvaluator(inProcess({ store })).loadBody(entry);
  expect(body.result).toEqual(WHOLE);
});

test("a body that is not there is told by run and evaluation", async () => {
  const { evaluator, entry } = await evaluateOne(false);
  const wanted = evaluator.loadBody({ ...entry, round: 9 });
  await expect(wanted).rejects.toMatchObject({ code: "body.missing" });
  await expect(wanted).rejects.toThrow(entry.runId);
});
