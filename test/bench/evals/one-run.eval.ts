import { defineEvaluation } from "agent-evaluator";

export default defineEvaluation({
  name: "one-run",
  models: [["scripted", "echo"]],
  problems: [["What is the capital of France?", "Paris"]],
  buildAgent: (provider, model, _tools, problem) => async () => {
    const { content } = await provider.generate({ model, messages: [{ role: "user", content: problem }] });
    return content;
  },
  resultChecker: (result, expected) => result === expected,
  scripts: { echo: [{ when: "France", say: "Paris" }] },
});
