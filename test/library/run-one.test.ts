import { expect, test } from "vitest";
import { AgentEvaluator, type EvaluationOptions, type RunOneOptions } from "../../src/index.ts";
import { inProcess } from "../fixtures/run/in-process-options.ts";

const CAPITALS = [
  { id: "peru", problem: "Capital of Peru?", expected: "Lima" },
  { id: "france", problem: "Capital of France?", expected: "Paris" },
  ...Array.from({ length: 18 }, (_, index) => ({
    id: `n${index}`,
    problem: `Number ${index}?`,
    expected: index,
  })),
];

const runOne = (choice?: RunOneOptions, changes: Partial<EvaluationOptions> = {}) => {
  const { isolation: _, ...options } = inProcess({ problems: CAPITALS, ...changes });
  return new AgentEvaluator(options).runOne(choice);
};

test.each<[what: string, problem: unknown]>([
  ["its id", "peru"],
  ["the bare problem", "Capital of Peru?"],
  ["the pair", ["Capital of Peru?", "Lima"]],
  ["the named problem", CAPITALS[0]],
])("a problem is found by %s, with what is expected of it", async (_what, problem) => {
  const entry = await runOne({ model: ["scripted", "one"], problem });
  expect(entry).toMatchObject({ problemId: "peru", expected: "Lima", result: "Lima", correct: true });
});

test("a problem that is not in the list is run all the same", async () => {
  const entry = await runOne({ problem: ["Capital of Chile?", "Santiago"] });
  expect(entry).toMatchObject({ problem: "Capital of Chile?", expected: "Santiago", correct: false });
});

test("it runs in this process, also where the evaluation would not", async () => {
  expect((await runOne({ problem: "peru" })).pid).toBe(process.pid);
});

test("the run has the id that it has in the evaluation", async () => {
  const options = inProcess({ problems: CAPITALS });
  const { logs } = await new AgentEvaluator(options).evaluate();
  const { runId } = await new AgentEvaluator(options).runOne({ problem: "france" });
  expect(runId).toBe(logs.find(({ problemId }) => problemId === "france")?.runId);
});

test("the same seed gives the same problem, and seeds reach all of them", async () => {
  const pick = async (seed: number) => (await runOne({ seed })).problemId;
  for (const seed of [0, 1, 42, -7]) expect(await pick(seed)).toBe(await pick(seed));
  const picked = new Set(await Promise.all(Array.from({ length: 300 }, (_, seed) => pick(seed))));
  expect(picked.size).toBe(CAPITALS.length);
});

test("without a seed the problem is a random one", async () => {
  const picked = await Promise.all(Array.from({ length: 60 }, async () => (await runOne()).problemId));
  expect(new Set(picked).size).toBeGreaterThan(1);
});

test("the first model is the default, and any other may be named", async () => {
  const models = [
    ["scripted", "one"],
    ["scripted", "two"],
  ] as const;
  const scripts = { one: [{ say: "1" }], two: [{ say: "2" }], three: [{ say: "3" }] };
  const modelOf = async (choice: RunOneOptions) => (await runOne(choice, { models, scripts })).result;
  expect(await modelOf({})).toBe("1");
  expect(await modelOf({ model: ["scripted", "two"] })).toBe("2");
  expect(await modelOf({ model: ["scripted", "three"] })).toBe("3");
});

test.each<[what: string, choice: RunOneOptions, changes: Partial<EvaluationOptions>, message: RegExp]>([
  ["an unknown provider", { model: ["opnai", "x"] }, {}, /unknown provider "opnai"/],
  ["an empty model name", { model: ["scripted", ""] }, {}, /a model name is one word/],
  ["no model", {}, { models: [] }, /`models` is empty/],
  ["no problem", {}, { problems: [] }, /`problems` is empty/],
  ["a problem that cannot be stored", { problem: [1n, 1] }, {}, /problem: cannot be stored: a BigInt/],
  ["wrong options", {}, { trials: 0 }, /trials/],
])("%s is refused", async (_what, choice, changes, message) => {
  await expect(runOne(choice, changes)).rejects.toThrow(message);
});

test("what the agent throws is in the entry", async () => {
  const buildAgent = () => () => {
    throw new RangeError("fell over");
  };
  const entry = await runOne({ problem: "peru" }, { buildAgent });
  expect(entry.failure).toMatchObject({
    cause: "agent_error",
    message: expect.stringContaining("fell over"),
  });
});
