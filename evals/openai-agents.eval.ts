import { Agent, run, setTracingDisabled, tool } from "@openai/agents";
import { all, defineEvaluation, numeric, toolCalled } from "agent-evaluator";
import { description, input, instructions, priceOf, problems } from "./shop.ts";

// The evaluator keeps what the agent does; OpenAI's own tracing would want a key, and there is none here.
setTracingDisabled(true);

// An agent made with the OpenAI Agents SDK. `gateway: true` leads its calls through the evaluator.
export default defineEvaluation({
  name: "openai-agents",
  models: [["openai", "gpt-5-mini"]],
  problems,
  gateway: true,
  buildAgent: (_provider, model, _tools, problem: string) => {
    const agent = new Agent({
      name: "Shop assistant",
      model,
      instructions,
      tools: [tool({ name: "price_of", description, parameters: input, execute: priceOf })],
    });
    return async ({ signal }) => (await run(agent, problem, { signal, maxTurns: 6 })).finalOutput;
  },
  resultChecker: all(numeric({ findInText: true }), toolCalled("price_of")),
});
