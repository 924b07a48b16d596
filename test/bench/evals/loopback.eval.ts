import { defineEvaluation } from "agent-evaluator";
import quickstart from "../../../evals/quickstart.eval.ts";

// The quickstart's agent on as many problems as the benchmark asks for; a run's process has no use for them.
const runs = Number(process.env.BENCH_RUNS ?? "0");

export default defineEvaluation({
  name: "bench",
  models: [["openai-compatible:bench", "fixed-latency"]],
  problems: Array.from({ length: runs }, (_, index) => ({
    problem: `Problem ${index}`,
    expected: "done",
  })),
  buildAgent: quickstart.buildAgent,
  tools: quickstart.tools ?? [],
  resultChecker: (result, expected) => result.value === expected,
});
