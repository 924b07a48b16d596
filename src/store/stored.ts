import * as z from "zod";
import { EvaluatorError } from "../domain/errors.ts";
import { EvaluationId, ProblemId, type RunId } from "../domain/ids.ts";
import { definedFields } from "../domain/json.ts";
import type { Problem } from "../domain/problem.ts";
import { addWhole } from "../domain/run/amounts.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import { toNanoUsd, toUsd } from "../domain/run/usage.ts";
import { ParsedJson } from "./entry-head.ts";
import type { EvaluationState, Progress, RequestClaim } from "./store.ts";

/** `<evaluation>/ab/abcd….2.0123456789ab.json`: 256 folders each, and a name that tells two contents apart. */
export const bodyKey = (evaluation: EvaluationId, run: RunId, round: number, digest: string): string =>
  `${evaluation}/${run.slice(0, 2)}/${run}.${round}.${digest.slice(0, 12)}.json`;

/** Progress in integers, so that sums do not depend on their order. */
export type ProgressCount = Omit<Progress, "costUsd"> & { readonly costNanoUsd: number };

export const NO_COUNT: ProgressCount = {
  finished: 0,
  correct: 0,
  failed: 0,
  inputTokens: 0,
  outputTokens: 0,
  costNanoUsd: 0,
};

type Counted = Pick<LogEntry, "failure" | "correct" | "usage" | "costUsd">;

/** Counts what one entry adds. */
export const countOf = ({ failure, correct, usage, costUsd }: Counted): ProgressCount => ({
  finished: 1,
  correct: Number(failure === null && correct === true),
  failed: Number(failure !== null),
  inputTokens: usage?.inputTokens ?? 0,
  outputTokens: usage?.outputTokens ?? 0,
  costNanoUsd: toNanoUsd(costUsd ?? 0),
});

export const addCounts = (a: ProgressCount, b: ProgressCount): ProgressCount => ({
  finished: a.finished + b.finished,
  correct: a.correct + b.correct,
  failed: a.failed + b.failed,
  inputTokens: addWhole(a.inputTokens, b.inputTokens),
  outputTokens: addWhole(a.outputTokens, b.outputTokens),
  costNanoUsd: addWhole(a.costNanoUsd, b.costNanoUsd),
});

export const toProgress = ({ costNanoUsd, ...counts }: ProgressCount): Progress => ({
  ...counts,
  costUsd: toUsd(costNanoUsd),
});

/** Says whether an update that expects a state may replace what is there; without expectations it may. */
export const isAsExpected = (
  { round, status, owner }: EvaluationState,
  expected?: EvaluationState,
): boolean =>
  expected === undefined ||
  (expected.round === round && expected.status === status && expected.owner === owner);

const StoredProblem = z.object({
  v: z.literal(1),
  id: ProblemId,
  problem: ParsedJson,
  expected: ParsedJson,
  tags: z.array(z.string()),
  metadata: ParsedJson.optional(),
});

export const problemToText = ({ id, problem, expected, tags, metadata }: Problem): string =>
  JSON.stringify({ v: 1, id, problem, expected, tags, metadata });

export function problemFromText(text: unknown, what: string): Problem {
  const { v: _v, metadata, ...problem } = readStored(StoredProblem, text, what);
  return { ...problem, ...definedFields({ metadata }) };
}

const StoredClaim = z.object({
  v: z.literal(1),
  key: z.string(),
  fingerprint: z.string(),
  evaluationId: EvaluationId,
  expiresAt: z.iso.datetime(),
});

export const claimToText = (claim: RequestClaim): string =>
  JSON.stringify({ v: 1, ...claim, expiresAt: claim.expiresAt.toISOString() });

export function claimFromText(text: unknown): RequestClaim {
  const { v: _v, expiresAt, ...claim } = readStored(StoredClaim, text, "The claim of a request");
  return { ...claim, expiresAt: new Date(expiresAt) };
}

/** Parses what was stored as JSON text; `what` names it for the user when it is damaged. */
export function readStored<Schema extends z.ZodType>(
  schema: Schema,
  text: unknown,
  what: string,
): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(String(text)));
  } catch (cause) {
    throw new EvaluatorError(
      "store.unusable",
      `${what} is damaged or was written by a newer release; use that release, or restore the store from a backup`,
      { cause },
    );
  }
}
