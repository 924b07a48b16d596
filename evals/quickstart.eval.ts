import { defineEvaluation, defineTool, NoAnswerError, SimpleAgent } from "agent-evaluator";
import { z } from "zod";

// Two scripted models, so that the demo needs no key: "careful" uses its tool, "hasty" guesses and trips over things.
const calculator = defineTool({
  name: "multiply",
  description: "Multiplies two numbers.",
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a * b,
});

const problems = [
  { id: "france", problem: "What is the capital of France?", expected: "Paris" },
  { id: "peru", problem: "What is the capital of Peru?", expected: "Lima" },
  { id: "australia", problem: "What is the capital of Australia?", expected: "Canberra" },
  { id: "product", problem: "What is 17 × 23?", expected: "391" },
  { id: "square", problem: "What is 12 × 12?", expected: "144" },
  { id: "poem", problem: "Name the poet of the Divine Comedy.", expected: "Dante" },
];

const answer = (when: string, value: string, latencyMs: number) => ({
  when,
  call: { tool: "finish", input: { value } },
  latencyMs,
});

const multiply = (when: string, a: number, b: number, latencyMs: number) => [
  { when, turn: 1, call: { tool: "multiply", input: { a, b } }, latencyMs },
  { when, turn: 2, call: { tool: "finish", input: { value: String(a * b) } }, latencyMs },
];

export default defineEvaluation({
  name: "quickstart",
  models: [
    ["scripted", "careful"],
    ["scripted", "hasty"],
  ],
  problems,
  tools: [calculator],
  concurrency: 4,
  limits: { timeoutSeconds: 2, maxWaitSeconds: 1 },
  buildAgent: (provider, model, tools, problem) => {
    const outputSchema = z.object({ value: z.string() });
    const agent = new SimpleAgent({
      name: "Quickstart",
      objective: problem,
      provider,
      model,
      tools,
      outputSchema,
      maxIterations: 4,
    });
    return async (context) => {
      const { value } = outputSchema.parse(await agent.run(context));
      if (value === "") throw new NoAnswerError("the model's answer is empty");
      return { value };
    };
  },
  resultChecker: (result, expected) => result.value === expected,
  scripts: {
    careful: [
      answer("France", "Paris", 400),
      answer("Peru", "Lima", 300),
      answer("Australia", "Canberra", 500),
      ...multiply("17 × 23", 17, 23, 350),
      ...multiply("12 × 12", 12, 12, 350),
      { when: "Divine Comedy", fail: "rate_limited" },
    ],
    hasty: [
      answer("France", "", 100),
      answer("Peru", "Lima", 150),
      answer("Australia", "Sydney", 150),
      { when: "17 × 23", say: "About 400, I think.", latencyMs: 100 },
      { when: "12 × 12", call: { tool: "finish", input: { value: "144" } }, latencyMs: 60_000 },
      { when: "Divine Comedy", fail: "provider_error" },
    ],
  },
  prices: {
    "scripted/careful": { input: 2.5, output: 10 },
    "scripted/hasty": { input: 0.15, output: 0.6 },
  },
});
