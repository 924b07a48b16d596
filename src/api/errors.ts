import { ERROR_STATUS, type ErrorCode, EvaluatorError, isEvaluatorError } from "../domain/errors.ts";
import type { Redactor } from "../domain/redact.ts";
import type { ErrorAnswer } from "./answers.ts";

/** A request that cannot be answered as it is; `path` names the place in it. */
export class RequestError extends EvaluatorError {
  readonly path: string | null;

  constructor(code: ErrorCode, message: string, path: string | null = null) {
    super(code, message);
    this.path = path;
  }
}

/** Says what went wrong; of an unexpected error only that there was one. */
export function answerError(error: unknown, redactor: Redactor): Response {
  if (!isEvaluatorError(error)) return answer(500, UNEXPLAINED);
  const path = error instanceof RequestError ? error.path : (PATHS[error.code] ?? null);
  const shown = { code: error.code, message: redactor.text(error.message), path };
  return answer(ERROR_STATUS[error.code], shown);
}

const UNEXPLAINED = {
  code: "api.unexpected",
  message: "Something unexpected happened here; the log of this API says more",
  path: null,
} as const;

/** The place in the request that an error of the engine or the store is about. */
const PATHS: Readonly<Partial<Record<ErrorCode, string>>> = {
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
