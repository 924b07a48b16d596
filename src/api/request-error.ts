import { EvaluatorError } from "../domain/evaluator-error.ts";

/** A request that cannot be answered as it is; `path` names the place in it. */
export class RequestError extends EvaluatorError {
  readonly path: string | null;

  constructor(code: RequestErrorCode, message: string, path: string | null = null) {
    super(code, message);
    this.path = path;
  }
}

/** What the app itself refuses, and with which status. */
export const REQUEST_STATUS = {
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

export type RequestErrorCode = keyof typeof REQUEST_STATUS;
