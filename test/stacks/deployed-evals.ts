import { join } from "node:path";

/** The definitions that the stacks under test deploy. */
export const evals = join(import.meta.dirname, "../fixtures/stacks/evals");

/** What they need of their deployer, together. */
export const EVALS_VARIABLES = [
  "ANTHROPIC_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GROQ_API_KEY",
  "GROQ_BASE_URL",
  "HF_TOKEN",
  "OPENAI_API_KEY",
  "SEARCH_TOKEN",
];
