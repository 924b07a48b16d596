import Anthropic from "@anthropic-ai/sdk";
import { all, defineEvaluation, NoAnswerError, numeric, toolCalled } from "agent-evaluator";
import { z } from "zod";
import { description, input, instructions, priceOf, problems } from "./shop.ts";

const MAX_TURNS = 6;

const tools: Anthropic.ToolUnion[] = [
  { name: "price_of", description, input_schema: { ...z.toJSONSchema(input), type: "object" } },
];

/** Asks the model until it calls no tool any more; every reply comes as a stream. */
async function answer(model: string, question: string, signal: AbortSignal): Promise<string> {
  const client = new Anthropic();
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: question }];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const request = { model, system: instructions, messages, tools, max_tokens: 1_000 };
    const { content } = await client.messages.stream(request, { signal }).finalMessage();
    const results = content.flatMap((block) => (block.type === "tool_use" ? [resultOf(block)] : []));
    if (results.length === 0)
      return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    messages.push({ role: "assistant", content }, { role: "user", content: results });
  }
  throw new NoAnswerError(`the model still calls tools after ${MAX_TURNS} turns`);
}

const resultOf = (call: Anthropic.ToolUseBlock): Anthropic.ToolResultBlockParam => ({
  type: "tool_result",
  tool_use_id: call.id,
  content: priceOf(input.parse(call.input)),
});

// An agent made with Anthropic's SDK. `gateway: true` leads its calls through the evaluator.
export default defineEvaluation({
  name: "anthropic-sdk",
  models: [["anthropic", "claude-haiku-4-5"]],
  problems,
  gateway: true,
  buildAgent: (_provider, model, _tools, problem: string) => (context) =>
    answer(model, problem, context.signal),
  resultChecker: all(numeric({ findInText: true }), toolCalled("price_of")),
});
