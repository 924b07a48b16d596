import * as z from "zod";
import { EvaluatorError } from "../domain/errors.ts";
import type { Redactor } from "../domain/redact.ts";

/** A request that cannot be answered as it is; `path` names the place in it. */
export class RequestError extends EvaluatorError {
  readonly path: string | null;

  constructor(code: RequestErrorCode, message: string, path: string | null = null) {
    super(code, message);
    this.path = path;
  }
}

/** What the app itself refuses, and with which status. */
const REQUEST_STATUS = {
  "request.no_token": 401,
  "request.wrong_token": 401,
  "request.foreign_host": 403,
  "request.foreign_origin": 403,
  "request.unknown_route": 404,
  "definition.unknown": 404,
  "request.key_reused": 409,
  "request.too_large": 413,
  "answer.too_large": 413,
  "request.invalid": 422,
} as const;

type RequestErrorCode = keyof typeof REQUEST_STATUS;

/** What every request that fails is answered with. */
export const ErrorAnswer = z.object({
  error: z.object({
    /** Stable, for programs. */
    code: z.string(),
    /** For people: what happened, to what, and what to do next. */
    message: z.string(),
    /** The place in the request; null when no single place is to blame. */
    path: z.string().nullable(),
  }),
});
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;

const STATUS: Readonly<Record<string, number>> = {
  ...REQUEST_STATUS,
  "evaluation.unknown": 404,
  "store.unknown_evaluation": 404,
  "run.unknown": 404,
  "body.missing": 404,
  "store.body_lost": 404,
  "evaluation.running": 409,
  "evaluation.not_running": 409,
  "evaluation.exists": 409,
  "evaluation.nothing_new": 409,
  "definition.missing": 409,
  "options.invalid": 422,
  "problem.unknown": 422,
  "problem.holds_key": 422,
  "tag.holds_key": 422,
  "provider.unknown": 422,
  "provider.key_missing": 422,
  "provider.not_deployed": 422,
  "store.bad_cursor": 422,
  "compare.nothing_in_common": 422,
  "evaluation.too_large": 422,
  "evaluation.too_many": 429,
  "cloud.busy": 429,
};

/** Says what went wrong, and of a surprise only that it was one. */
export function answerError(error: unknown, redactor: Redactor): Response {
  if (!isExplained(error)) return answer(500, UNEXPLAINED);
  const path = error instanceof RequestError ? error.path : (PATHS[error.code] ?? null);
  const told = { code: error.code, message: redactor.text(error.message), path };
  return answer(STATUS[error.code] ?? (error.retryable ? 503 : 500), told);
}

const UNEXPLAINED = {
  code: "api.unexpected",
  message: "Something unexpected happened here; the log of this API says more",
  path: null,
} as const;

/** Where in the request an error of the engine or the store comes from. */
const PATHS: Readonly<Record<string, string>> = {
  "store.bad_cursor": "query.cursor",
  "problem.unknown": "body.problemIds",
  "problem.holds_key": "body.problems",
  "tag.holds_key": "body.tags",
  "provider.unknown": "body.models",
  "provider.key_missing": "body.models",
  "provider.not_deployed": "body.models",
  "definition.unknown": "body.evaluation",
};

function answer(status: number, error: ErrorAnswer["error"]): Response {
  const headers = { ...EXTRA_HEADERS[status] };
  return Response.json({ error } satisfies ErrorAnswer, { status, headers });
}

const EXTRA_HEADERS: Readonly<Record<number, Record<string, string>>> = {
  401: { "www-authenticate": "Bearer" },
  429: { "retry-after": "10" },
  503: { "retry-after": "2" },
};

interface Explained extends Error {
  readonly code: string;
  readonly retryable: boolean;
}

/** By name, because a bundled definition carries its own copy of the class. */
const isExplained = (error: unknown): error is Explained =>
  error instanceof Error && error.name === "EvaluatorError" && "code" in error && "retryable" in error;
