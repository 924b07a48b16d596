import { expect, test } from "vitest";
import { AgentEvaluator, type EvaluationOptions, EvaluatorError } from "../../src/index.ts";
import { inProcess } from "../fixtures/run/in-process-options.ts";

const cyclic: Record<string, unknown> = { name: "cyclic" };
cyclic.self = { again: cyclic };

/** What a user without types may write. */
type Loose = { readonly [Key in keyof EvaluationOptions]?: unknown } & Readonly<Record<string, unknown>>;

const complaintAbout = async (options: unknown): Promise<string> => {
  const error = await new AgentEvaluator(options as EvaluationOptions).evaluate().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(EvaluatorError);
  expect(error).toMatchObject({ code: "options.invalid", retryable: false });
  return (error as EvaluatorError).message;
};

test.each<[what: string, options: Loose, complaint: RegExp]>([
  ["concurrency 0", { concurrency: 0 }, /concurrency: .*>=1; got 0/],
  ["half a run at once", { concurrency: 1.5 }, /concurrency: .*int.*; got 1\.5/],
  ["concurrency as text", { concurrency: "8" }, /concurrency: expected number; got "8"/],
  ["no trial", { trials: 0 }, /trials: .*>=1; got 0/],
  [
    "an empty model name",
    { models: [["scripted", ""]] },
    /models\[0\]\[1\]: a model name is one word.*; got ""/,
  ],
  [
    "an empty provider key",
    { models: [["", "one"]] },
    /models\[0\]\[0\]: a provider key is one word.*; got ""/,
  ],
  [
    "a model without provider",
    { models: ["gpt"] },
    /models\[0\]: expected a model as \["provider", "model"\]; got "gpt"/,
  ],
  [
    "a model of one word",
    { models: [["gpt"]] },
    /models\[0\]: expected a model as \["provider", "model"\]; got \["gpt"\]/,
  ],
  [
    "an unknown provider",
    { models: [["opnai", "x"]] },
    /models\[0\]: unknown provider "opnai"; the providers are .*openai.*scripted\. Did you mean openai\?$/m,
  ],
  [
    "a model given twice",
    {
      models: [
        ["scripted", "one"],
        ["scripted", "two"],
        ["scripted", "one"],
      ],
    },
    /models\[2\]: scripted\/one is given twice; `trials` repeats runs, `variants` compares prompts/,
  ],
  [
    "a cyclic problem",
    { problems: ["fine", cyclic] },
    /problems\[1\]\.problem: cannot be stored: a cycle at problem\.self\.again/,
  ],
  [
    "a problem that is a class instance",
    { problems: [new Map()] },
    /problems\[0\]\.problem: .*an instance of Map/,
  ],
  ["an expected BigInt", { problems: [["a", 1n]] }, /problems\[0\]\.expected: .*a BigInt/],
  [
    "two problems with one id",
    {
      problems: [
        { problem: 1, id: "a" },
        { problem: 2, id: "a" },
      ],
    },
    /problems\[1\]\.id: "a" is given twice/,
  ],
  ["no problems", { problems: undefined }, /problems: expected a list.*; got undefined/],
  [
    "problems as text",
    { problems: "Capital of Peru?" },
    /problems: expected a list.*; got "Capital of Peru\?"/,
  ],
  ["an agent that is no function", { buildAgent: {} }, /buildAgent: expected a function; got {}/],
  [
    "a checker that is missing",
    { resultChecker: undefined },
    /resultChecker: expected a function; got undefined/,
  ],
  [
    "an option with a typing error",
    { concurency: 4 },
    /unknown option "concurency"; the options are: name, models, .*concurrency, .*\. Did you mean concurrency\?$/m,
  ],
  [
    "a limit with a typing error",
    { limits: { workingSeconds: 4 } },
    /limits: unknown option "workingSeconds"; the options are: timeoutSeconds, \w+/,
  ],
  [
    "a price with a typing error",
    { prices: { "scripted/a": { inptu: 1 } } },
    /prices\.scripted\/a: unknown option "inptu"; the options are: input, output.*\. Did you mean input\?$/m,
  ],
  ["a timeout of nothing", { limits: { timeoutSeconds: 0 } }, /limits\.timeoutSeconds: .*>0; got 0/],
  ["an unknown isolation", { isolation: "thread" }, /isolation: .*"process"\|"pool"\|"none"; got "thread"/],
  [
    "a variable with its value",
    { env: ["KEY=1"] },
    /env\[0\]: expected the name of an environment variable; got "KEY=1"/,
  ],
  ["a tool that is none", { tools: [{ name: "t" }] }, /tools\[0\]: expected a tool .*; got {"name":"t"}/],
  ["a signal that is none", { signal: {} }, /signal: .*expected AbortSignal.*; got {}/],
  [
    "a price below nothing",
    { prices: { "scripted/one": { input: -1, output: 0 } } },
    /prices\.scripted\/one\.input: .*>=0; got -1/,
  ],
  ["a cyclic option", { limits: cyclic }, /limits: unknown option "name", "self"/],
  ["a cyclic model", { models: [[cyclic, "x"]] }, /models\[0\]\[0\]: .*expected string.*; got an object/],
  ["a store that is no folder", { store: 5 }, /store: expected a folder, or false for none; got 5/],
  ["a BigInt", { concurrency: 8n }, /concurrency: .*; got 8n/],
])("%s is refused, with what was expected, what came and where", async (_what, changes, complaint) => {
  expect(await complaintAbout({ ...inProcess(), ...changes })).toMatch(complaint);
});

test("all mistakes are told at once", async () => {
  const models = [
    ["", "x"],
    ["opnai", "x"],
    ["scripted", "y"],
    ["scripted", "y"],
  ];
  const message = await complaintAbout({ ...inProcess(), concurrency: 0, trials: -1, models });
  expect(message).toMatch(/^the evaluation's options are not valid:\n {2}\S/);
  expect(message).toMatch(/concurrency[\s\S]*trials|trials[\s\S]*concurrency/);
  expect(message).toContain("models[0][0]");
  expect(message).toContain('models[1]: unknown provider "opnai"');
  expect(message).toContain("models[3]: scripted/y is given twice");
});

test.each([[undefined], [null], [7], [[]]])("options that are %j are refused", async (options) => {
  expect(await complaintAbout(options)).toMatch(/expected object/);
});

test("a mistake is told before anything is said of processes or written to disk", async () => {
  const { isolation: _, store: __, ...rest } = inProcess({ concurrency: 0, store: "/proc/no/store" });
  expect(await complaintAbout({ ...rest, store: "/proc/no/store" })).toMatch(/concurrency/);
});

test("problems may come from a generator, also an async one", async () => {
  async function* problems() {
    yield ["Capital of Peru?", "Lima"];
    yield ["Capital of France?", "Paris"];
  }
  const { logs } = await new AgentEvaluator(inProcess({ problems: problems() })).evaluate();
  expect(logs.map(({ correct }) => correct)).toEqual([true, false]);
});

test("a generator that throws is the user's own error", async () => {
  function* problems() {
    yield "a";
    throw new RangeError("no more problems");
  }
  await expect(new AgentEvaluator(inProcess({ problems: problems() })).evaluate()).rejects.toThrow(
    "no more problems",
  );
});
