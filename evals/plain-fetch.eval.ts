import { defineEvaluation, numeric, type RunContext } from "agent-evaluator";
import { problems } from "./shop.ts";

const PRICES = "A lamp costs $40, a chair $75 and a table $210. Answer with the total as a number alone.";

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

/** One question to a model, without any SDK. */
async function ask({ gateway, model, signal }: RunContext, question: string): Promise<string> {
  if (gateway === null) throw new Error("this agent needs `gateway: true`");
  const { baseURL, apiKey } = gateway.openai;
  const answer = await fetch(`${baseURL}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
      messages: [
        { role: "system", content: PRICES },
        { role: "user", content: question },
      ],
    }),
    signal,
  });
  if (!answer.ok) throw new Error(`the model answered ${answer.status}: ${await answer.text()}`);
  const { choices } = (await answer.json()) as Completion;
  return choices[0]?.message.content ?? "";
}

// An agent that is a function and needs nothing but `fetch`. `gateway: true` gives it an address to call models at and
// a key for that address alone, in `context.gateway`; SDKs find the same in their usual variables.
export default defineEvaluation({
  name: "plain-fetch",
  models: [["openai", "gpt-5-mini"]],
  problems,
  gateway: true,
  buildAgent: (_provider, _model, _tools, problem: string) => (context) => ask(context, problem),
  resultChecker: numeric({ findInText: true }),
});
