import { openai } from "@ai-sdk/openai";
import { all, defineEvaluation, numeric, toolCalled } from "agent-evaluator";
import { generateText, stepCountIs, tool } from "ai";
import { description, input, instructions, priceOf, problems } from "./shop.ts";

// An agent made with the Vercel AI SDK. It needs no key: `gateway: true` leads the SDK's calls through the evaluator,
// which adds the key, counts the tokens and keeps the conversation.
export default defineEvaluation({
  name: "vercel-ai-sdk",
  models: [["openai", "gpt-5-mini"]],
  problems,
  gateway: true,
  buildAgent: (_provider, model, _tools, problem: string) => async (context) => {
    const { text } = await generateText({
      model: openai(model),
      system: instructions,
      prompt: problem,
      tools: { price_of: tool({ description, inputSchema: input, execute: priceOf }) },
      stopWhen: stepCountIs(6),
      // The gateway has tried often enough already.
      maxRetries: 0,
      abortSignal: context.signal,
    });
    return text;
  },
  resultChecker: all(numeric({ findInText: true }), toolCalled("price_of")),
});
