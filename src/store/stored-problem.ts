import * as z from "zod";
import { ProblemId } from "../domain/ids.ts";
import type { Problem } from "../domain/problem.ts";
import { ParsedJson } from "./entry-head.ts";
import { readStored } from "./read-stored.ts";

const StoredProblem = z.object({
  v: z.literal(1),
  id: ProblemId,
  problem: ParsedJson,
  expected: ParsedJson,
  tags: z.array(z.string()),
});

export const problemToText = ({ id, problem, expected, tags }: Problem): string =>
  JSON.stringify({ v: 1, id, problem, expected, tags });

export function problemFromText(text: unknown, what: string): Problem {
  const { v: _v, ...problem } = readStored(StoredProblem, text, what);
  return problem;
}
