import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "../../domain/errors.ts";

export const FIRST_FILE = "evals/first.eval.ts";

/** A first evaluation: complete, short, and played by the scripted provider so that it runs without a key. */
export const FIRST_EVALUATION = `import { defineEvaluation } from "agent-evaluator";

export default defineEvaluation({
  name: "first",

  // Scripted models play the replies below: no key, no network.
  // A real one is ["openai", "gpt-5-mini"], with its key in the environment or in .env.
  models: [
    ["scripted", "careful"],
    ["scripted", "hasty"],
  ],

  // A problem, and what the answer should be.
  problems: [
    ["What is 2 + 3?", 5],
    ["What is 7 * 6?", 42],
    ["What is 10 / 4?", 2.5],
  ],

  // Your agent: anything that takes a problem and comes back with a result.
  buildAgent: (provider, model, _tools, problem) => async ({ signal }) => {
    const messages = [{ role: "user" as const, content: \`\${problem} Answer with the number only.\` }];
    const reply = await provider.generate({ model, messages }, { signal });
    return Number(reply.content);
  },

  resultChecker: (result, expected) => result === expected,

  scripts: {
    careful: [
      { when: "2 + 3", say: "5", latencyMs: 300 },
      { when: "7 * 6", say: "42", latencyMs: 400 },
      { when: "10 / 4", say: "2.5", latencyMs: 500 },
    ],
    hasty: [
      { when: "10 / 4", say: "2", latencyMs: 50 },
      { when: "7 * 6", fail: "provider_error" },
      { say: "5", latencyMs: 50 },
    ],
  },
});
`;

/** Writes a file, unless there is one. */
export async function writeNew(path: string, text: string): Promise<"written" | "already-there"> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: "wx" });
    return "written";
  } catch (error) {
    if (hasCode(error, "EEXIST")) return "already-there";
    throw error;
  }
}
