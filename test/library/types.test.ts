import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  AgentEvaluator,
  type ChatProvider,
  csv,
  defineEvaluation,
  type EvaluationOptions,
  exact,
  huggingface,
  type Json,
  jsonl,
  type LogEntry,
  type RunContext,
  SimpleAgent,
} from "../../src/index.ts";

// `tsc` over this file is the test: what must not compile has a line that says so. Nothing of it is run.
const models = [["scripted", "one"]] as const;
const resultChecker = () => true;
const never = (_build: () => unknown) => {};
const answers = { value: z.string(), steps: z.array(z.number()) };

describe("the type of a problem and of what is expected", () => {
  test("comes from pairs", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: [
          ["2 + 2", 4],
          ["3 + 3", 6],
        ],
        buildAgent: (_provider, _model, _tools, problem) => {
          expectTypeOf(problem).toEqualTypeOf<string>();
          return () => 4;
        },
        resultChecker: (_result, expected) => {
          expectTypeOf(expected).toEqualTypeOf<number>();
          return true;
        },
      }),
    );
  });

  test("comes from items that are the problem itself, which expect nothing", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["one", "two"],
        buildAgent: (_provider, _model, _tools, problem) => {
          expectTypeOf(problem).toEqualTypeOf<string>();
          return () => problem.length;
        },
        resultChecker: (result, expected) => {
          expectTypeOf(expected).toEqualTypeOf<null>();
          expectTypeOf(result).toEqualTypeOf<number>();
          return true;
        },
      }),
    );
  });

  test("comes from named problems", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: [
          { id: "a", problem: { left: 1, right: 2 }, expected: 3 },
          { id: "b", problem: { left: 4, right: 5 }, expected: 9, tags: ["large"] },
        ],
        buildAgent: (_provider, _model, _tools, problem) => {
          expectTypeOf(problem).toEqualTypeOf<{ left: number; right: number }>();
          return () => problem.left + problem.right;
        },
        resultChecker: (result, expected) => {
          expectTypeOf(expected).toEqualTypeOf<number>();
          return result === expected;
        },
      }),
    );
  });

  test("is null where only some problems expect something", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: [{ problem: "a", expected: 3 }, { problem: "b" }],
        buildAgent: () => () => 3,
        resultChecker: (_result, expected) => {
          expectTypeOf(expected).toEqualTypeOf<number | null>();
          return true;
        },
      }),
    );
  });

  test("is a union where problems are written in several ways", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["item", ["pair", 2], { problem: true, expected: "named" }],
        buildAgent: (_provider, _model, _tools, problem) => {
          expectTypeOf(problem).toEqualTypeOf<string | boolean>();
          return () => 1;
        },
        resultChecker: (_result, expected) => {
          expectTypeOf(expected).toEqualTypeOf<number | string | null>();
          return true;
        },
      }),
    );
  });

  test("is open for a list of lists that may be pairs or not", () => {
    const lists: string[][] = [["a", "b"]];
    never(() =>
      defineEvaluation({
        models,
        problems: lists,
        buildAgent: (_provider, _model, _tools, problem) => {
          expectTypeOf(problem).toEqualTypeOf<string | string[]>();
          return () => 1;
        },
        resultChecker: (_result, expected) => {
          expectTypeOf(expected).toEqualTypeOf<string | null>();
          return true;
        },
      }),
    );
  });

  test("comes from pairs that are made by a function", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: [1, 2].map((each) => [`double ${each}`, each * 2] as const),
        buildAgent: (_provider, _model, _tools, problem) => {
          expectTypeOf(problem).toExtend<string>();
          return () => 1;
        },
        resultChecker: (_result, expected) => {
          expectTypeOf(expected).toEqualTypeOf<number>();
          return true;
        },
      }),
    );
  });

  test("comes from a generator", () => {
    async function* made() {
      yield { problem: String(1), expected: Math.random() > 0.5 };
    }
    never(() =>
      defineEvaluation({
        models,
        problems: made(),
        buildAgent: (_provider, _model, _tools, problem) => {
          expectTypeOf(problem).toEqualTypeOf<string>();
          return () => 1;
        },
        resultChecker: (_result, expected) => {
          expectTypeOf(expected).toEqualTypeOf<boolean>();
          return true;
        },
      }),
    );
  });

  test("is text in a CSV file", () => {
    expectTypeOf(csv("a.csv")).toExtend<AsyncIterable<{ problem: string; expected: string }>>();
    expectTypeOf(csv("a.csv", { map: { problem: "question" } })).toExtend<
      AsyncIterable<{ problem: string }>
    >();
    never(() =>
      defineEvaluation({
        models,
        problems: csv("a.csv"),
        buildAgent: (_provider, _model, _tools, problem) => {
          expectTypeOf(problem).toEqualTypeOf<string>();
          return () => 1;
        },
        resultChecker,
      }),
    );
  });

  test("comes from the schema of a file's rows", () => {
    const row = z.object({ problem: z.string(), expected: z.coerce.number() });
    never(() =>
      defineEvaluation({
        models,
        problems: csv("a.csv", { schema: row }),
        buildAgent: (_provider, _model, _tools, problem) => {
          expectTypeOf(problem).toEqualTypeOf<string>();
          return () => 1;
        },
        resultChecker: (_result, expected) => {
          expectTypeOf(expected).toEqualTypeOf<number>();
          return true;
        },
      }),
    );
  });

  test("comes from the columns of a schema that are named", () => {
    const row = z.object({ question: z.string(), answer: z.boolean() });
    const rows = jsonl("a.jsonl", { schema: row, map: { problem: "question", expected: "answer" } });
    expectTypeOf(rows).toExtend<AsyncIterable<{ problem: string; expected: boolean }>>();
  });

  test("comes from what a map makes of rows with a schema", () => {
    const row = z.object({ question: z.string(), answer: z.number() });
    const rows = huggingface("a/b", {
      schema: row,
      map: (each) => {
        expectTypeOf(each).toEqualTypeOf<{ question: string; answer: number }>();
        return each.answer > 3 ? { problem: each.question, expected: each.answer } : undefined;
      },
    });
    expectTypeOf(rows).toExtend<AsyncIterable<{ problem: string; expected: number }>>();
  });

  test("is unknown where rows are of unknown type", () => {
    expectTypeOf(jsonl("a.jsonl")).toExtend<AsyncIterable<unknown>>();
    never(() =>
      defineEvaluation({
        models,
        problems: jsonl("a.jsonl"),
        buildAgent: (_provider, _model, _tools, problem) => {
          expectTypeOf(problem).toBeUnknown();
          return () => 1;
        },
        resultChecker,
      }),
    );
  });

  test("may be said by whoever writes the agent", () => {
    interface Task {
      readonly kind: string;
    }
    never(() =>
      defineEvaluation({
        models,
        problems: [{ problem: { kind: "a", more: 1 } }],
        buildAgent: (_provider, _model, _tools, problem: Task) => {
          return () => problem.kind;
        },
        resultChecker: (result) => {
          expectTypeOf(result).toEqualTypeOf<string>();
          return true;
        },
      }),
    );
  });
});

describe("the type of the result", () => {
  test("is that of SimpleAgent's output schema", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        buildAgent: (provider, model, tools, objective) =>
          new SimpleAgent({ name: "A", objective, provider, model, tools, outputSchema: z.object(answers) }),
        resultChecker: (result) => {
          expectTypeOf(result).toEqualTypeOf<{ value: string; steps: number[] }>();
          return true;
        },
      }),
    );
  });

  test("is unknown where the output schema is JSON Schema", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        buildAgent: (provider, model, tools, objective) =>
          new SimpleAgent({ name: "A", objective, provider, model, tools, outputSchema: { type: "object" } }),
        resultChecker: (result) => {
          expectTypeOf(result).toBeUnknown();
          return true;
        },
      }),
    );
  });

  test("is what an async function of an async `buildAgent` gives", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        buildAgent: async () => async () => ({ text: "" as string, score: 1 as number }),
        resultChecker: (result) => {
          expectTypeOf(result).toEqualTypeOf<{ text: string; score: number }>();
          return true;
        },
      }),
    );
  });

  test("is a union where an agent gives several things, without those that are never checked", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        buildAgent: (_provider, model) => async () => {
          if (model === "nothing") return null;
          return model === "number" ? model.length : model;
        },
        resultChecker: (result) => {
          expectTypeOf(result).toEqualTypeOf<number | string>();
          return true;
        },
      }),
    );
  });

  test("is what the `run` of an object gives", () => {
    class Own {
      async run({ runId }: RunContext): Promise<{ id: string }> {
        return { id: runId };
      }
    }
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        buildAgent: () => new Own(),
        resultChecker: (result) => {
          expectTypeOf(result).toEqualTypeOf<{ id: string }>();
          return true;
        },
      }),
    );
  });

  test("reaches entries, and what evaluating gives", () => {
    const evaluation = defineEvaluation({
      models,
      problems: [["a", 1]],
      buildAgent: () => async () => ({ value: "a" as string }),
      resultChecker: exact(),
      onEntry: (entry) => {
        expectTypeOf(entry.problem).toEqualTypeOf<string>();
        expectTypeOf(entry.expected).toEqualTypeOf<number | null>();
        expectTypeOf(entry.result).toEqualTypeOf<{ value: string } | null>();
        expectTypeOf(entry.correct).toEqualTypeOf<boolean | null>();
      },
    });
    never(async () => {
      const { logs, stats } = await new AgentEvaluator(evaluation).evaluate();
      expectTypeOf(logs[0]?.result).toEqualTypeOf<{ value: string } | null | undefined>();
      expectTypeOf(Object.values(stats)[0]?.accuracy).toEqualTypeOf<number | null | undefined>();
    });
  });

  test("is the same through `new AgentEvaluator`", () => {
    never(async () => {
      const evaluator = new AgentEvaluator({
        models,
        problems: [["a", 1]],
        buildAgent: (_provider: ChatProvider, _model, _tools, problem) => {
          expectTypeOf(problem).toEqualTypeOf<string>();
          return async () => ({ value: "a" as string });
        },
        resultChecker: (result, expected) => {
          expectTypeOf(result).toEqualTypeOf<{ value: string }>();
          expectTypeOf(expected).toEqualTypeOf<number>();
          return true;
        },
      });
      const entry = await evaluator.runOne();
      expectTypeOf(entry.problem).toEqualTypeOf<string>();
    });
  });
});

describe("a definition", () => {
  const plain = defineEvaluation({ models, problems: ["a"], buildAgent: () => () => 1, resultChecker });

  test("of any types is one of unknown types", () => {
    expectTypeOf(plain).toExtend<EvaluationOptions>();
    interface Row {
      readonly name: string;
    }
    expectTypeOf<EvaluationOptions<Row, Row, Row>>().toExtend<EvaluationOptions>();
  });

  test("may be spread into another one", () => {
    never(() => defineEvaluation({ ...plain, name: "again", trials: 3 }));
  });

  test("may be written with its types and assigned elsewhere", () => {
    const options: EvaluationOptions<string, number, boolean> = {
      models,
      problems: [["a", 1]],
      buildAgent: (_provider, _model, _tools, problem) => () => problem === "a",
      resultChecker: (result, expected) => {
        expectTypeOf(result).toEqualTypeOf<boolean>();
        return result === expected > 0;
      },
    };
    never(() => new AgentEvaluator(options));
  });

  test("takes listeners of whole entries", () => {
    const seen: LogEntry[] = [];
    never(() => defineEvaluation({ ...plain, onEntry: (entry: LogEntry) => seen.push(entry) }));
  });

  test("has no `any`", () => {
    expectTypeOf<Parameters<EvaluationOptions["buildAgent"]>[3]>().not.toBeAny();
    expectTypeOf<Parameters<EvaluationOptions["resultChecker"]>[0]>().not.toBeAny();
    expectTypeOf<Parameters<EvaluationOptions["resultChecker"]>[1]>().not.toBeAny();
    expectTypeOf<LogEntry["result"]>().toEqualTypeOf<Json>();
  });
});

describe("what does not compile", () => {
  const buildAgent = () => async () => ({ value: "a" as string });

  test("a misspelt option, at that option", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        buildAgent,
        resultChecker,
        // @ts-expect-error the option is called concurrency
        concurency: 4,
      }),
    );
    never(
      () =>
        new AgentEvaluator({
          models,
          problems: ["a"],
          buildAgent,
          resultChecker,
          // @ts-expect-error the option is called trials
          trails: 4,
        }),
    );
  });

  test("a limit that there is not", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        buildAgent,
        resultChecker,
        // @ts-expect-error the limit is called timeoutSeconds
        limits: { timeout: 3 },
      }),
    );
  });

  test("a model that is no pair", () => {
    // @ts-expect-error a model is a provider and a name
    never(() => defineEvaluation({ models: ["gpt"], problems: ["a"], buildAgent, resultChecker }));
  });

  test("a checker of another result", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        buildAgent,
        // @ts-expect-error the result is { value: string }
        resultChecker: (result: { total: number }) => result.total > 1,
      }),
    );
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        buildAgent,
        // @ts-expect-error the result has no total
        resultChecker: (result) => result.total > 1,
      }),
    );
  });

  test("a checker that gives no verdict", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        buildAgent,
        // @ts-expect-error "yes" is no verdict
        resultChecker: () => "yes",
      }),
    );
  });

  test("an agent that takes another problem", () => {
    never(() =>
      defineEvaluation({
        models,
        problems: ["a"],
        // @ts-expect-error problems are texts
        buildAgent: (_provider, _model, _tools, problem: number) => {
          return () => problem;
        },
        resultChecker,
      }),
    );
  });

  test("no agent, no problems, no checker", () => {
    // @ts-expect-error buildAgent is missing
    never(() => defineEvaluation({ models, problems: ["a"], resultChecker }));
    // @ts-expect-error problems are missing
    never(() => defineEvaluation({ models, buildAgent, resultChecker }));
    // @ts-expect-error resultChecker is missing
    never(() => defineEvaluation({ models, problems: ["a"], buildAgent }));
  });
});
