import { defineEvaluation } from "agent-evaluator";

const runs = Number(process.env.BENCH_RUNS ?? "0");

export default defineEvaluation({
  name: "scripted",
  models: [["scripted", "echo"]],
  problems: Array.from({ length: runs }, (_, index) => [`Problem ${index}`, "done"]),
  isolation: "pool",
  buildAgent: (provider, model, _tools, problem) => async () => {
    const { content } = await provider.generate({ model, messages: [{ role: "user", content: problem }] });
    return content;
  },
  resultChecker: (result, expected) => result === expected,
  scripts: { echo: [{ when: "Problem", say: "done" }] },
});
