import { expect, test } from "vitest";
import type { EvaluationOptions } from "../../../src/engine/definition/definition.ts";
import { requestedOptions, summarizeDefinition } from "../../../src/engine/definition/requests.ts";
import { StartRequest } from "../../../src/engine/engine.ts";

const capitals: EvaluationOptions = {
  name: "capitals",
  models: [["scripted", "steady"]],
  problems: [["Capital of France?", "Paris"]],
  buildAgent: () => () => "Paris",
  resultChecker: () => true,
  limits: { timeoutSeconds: 20, maxTurns: 3 },
  tags: ["nightly"],
  schedule: "rate(1 day)",
};

const ask = (request: object) =>
  requestedOptions(capitals, StartRequest.parse({ evaluation: "capitals", ...request }));

test("a request that says nothing changes nothing", () => {
  expect(ask({})).toEqual(capitals);
});

test.each([
  [
    "models",
    { models: ["openai/gpt-5-mini", ["huggingface:x", "org/model"]] },
    {
      models: [
        ["openai", "gpt-5-mini"],
        ["huggingface:x", "org/model"],
      ],
    },
  ],
  ["problems", { problems: ["Lima?"] }, { problems: ["Lima?"] }],
  ["one limit, and no other", { limits: { maxTurns: 9 } }, { limits: { timeoutSeconds: 20, maxTurns: 9 } }],
  ["tags, beside the definition's", { tags: ["mine", "nightly"] }, { tags: ["nightly", "mine"] }],
  ["trials and concurrency", { trials: 4, concurrency: 2 }, { trials: 4, concurrency: 2 }],
])("a request replaces %s", (_what, request, changes) => {
  expect(ask(request)).toEqual({ ...capitals, ...changes });
});

test.each([
  [{ evaluation: "" }],
  [{ evaluation: "x", models: [] }],
  [{ evaluation: "x", models: ["no-slash"] }],
  [{ evaluation: "x", problems: [], problemIds: ["a"] }],
  [{ evaluation: "x", problems: ["a"], problemIds: ["a"] }],
  [{ evaluation: "x", trials: 0 }],
  [{ evaluation: "x", concurrency: 1.5 }],
  [{ evaluation: "x", limits: { timeout: 5 } }],
  [{ evaluation: "x", surprise: true }],
])("%j is refused", (request) => {
  expect(StartRequest.safeParse(request).success).toBe(false);
});

test("a definition is summed up with its defaults and its schedule", () => {
  expect(summarizeDefinition(capitals)).toMatchObject({
    name: "capitals",
    models: ["scripted/steady"],
    problemCount: 1,
    trials: 1,
    concurrency: 8,
    limits: { timeoutSeconds: 20, maxTurns: 3, memoryMb: 1_024 },
    tags: ["nightly"],
    schedule: "rate(1 day)",
  });
});

test("problems that can be read only once are not counted", () => {
  expect(summarizeDefinition({ ...capitals, problems: new Set(["a"]) }).problemCount).toBeNull();
});
