/** A surprise that the user must hear of: a stable code, whether trying again may help, and the cause. */
export class EvaluatorError extends Error {
  override readonly name = "EvaluatorError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
  }

  /** Whether the same may go well a moment later. */
  get retryable(): boolean {
    return RETRYABLE.has(ERROR_STATUS[this.code]);
  }
}

/** Every code there is, with the HTTP status that an API answers it with. */
export const ERROR_STATUS = {
  "agent.tool_name": 500,
  "answer.too_large": 413,
  "api.weak_token": 500,
  "body.missing": 404,
  "checker.votes": 500,
  "checker.weight": 500,
  "cloud.busy": 429,
  "cloud.refused": 500,
  "compare.nothing_in_common": 422,
  "dataset.busy": 503,
  "dataset.invalid": 500,
  "dataset.no_column": 500,
  "dataset.refused": 500,
  "dataset.truncated": 500,
  "dataset.unreachable": 503,
  "dataset.unreadable": 500,
  "definition.missing": 409,
  "definition.no_default": 500,
  "definition.outside": 500,
  "definition.path": 500,
  "definition.script": 500,
  "definition.syntax": 500,
  "definition.threw": 500,
  "definition.twice": 500,
  "definition.unknown": 404,
  "definition.unresolved": 500,
  "deployment.invalid": 500,
  "deployment.no_secret": 500,
  "deployment.old_node": 500,
  "drift.no_baseline": 500,
  "evaluation.exists": 409,
  "evaluation.not_running": 409,
  "evaluation.nothing_new": 409,
  "evaluation.running": 409,
  "evaluation.taken_over": 409,
  "evaluation.too_large": 422,
  "evaluation.too_many": 429,
  "evaluation.unknown": 404,
  "git.refused": 409,
  "isolation.no_reentry": 500,
  "machine.open_files": 500,
  "mcp.spawn_refused": 500,
  "mcp.tool_unknown": 500,
  "mcp.unreachable": 500,
  "options.invalid": 422,
  "packer.failed": 500,
  "problem.holds_key": 422,
  "problem.unknown": 422,
  "problem.unknown_tag": 500,
  "problem.unreadable": 500,
  "program.no_answer": 500,
  "provider.key_missing": 422,
  "provider.not_deployed": 422,
  "provider.unknown": 422,
  "remote.no_token": 500,
  "remote.refused": 500,
  "remote.strange": 500,
  "remote.token": 500,
  "remote.unreachable": 503,
  "request.foreign_host": 403,
  "request.foreign_origin": 403,
  "request.invalid": 422,
  "request.key_reused": 409,
  "request.no_token": 401,
  "request.too_large": 413,
  "request.unknown_method": 405,
  "request.unknown_route": 404,
  "request.wrong_token": 401,
  "run.unknown": 404,
  "store.bad_cursor": 422,
  "store.body_lost": 404,
  "store.busy": 503,
  "store.denied": 500,
  "store.full": 503,
  "store.read_only": 500,
  "store.unknown_evaluation": 404,
  "store.unknown_problem": 500,
  "store.unreachable": 503,
  "store.unusable": 500,
  "tag.holds_key": 422,
} as const satisfies Readonly<Record<string, number>>;

export type ErrorCode = keyof typeof ERROR_STATUS;

const RETRYABLE: ReadonlySet<number> = new Set([429, 503]);

/** Says whether a text from another process, maybe of another release, is one of our codes. */
export const isErrorCode = (text: unknown): text is ErrorCode =>
  typeof text === "string" && Object.hasOwn(ERROR_STATUS, text);

/** Recognises our errors by name, because a bundled definition carries its own copy of the class. */
export const isEvaluatorError = (error: unknown): error is EvaluatorError =>
  error instanceof Error && error.name === "EvaluatorError" && "code" in error && isErrorCode(error.code);

/** Says whether an error has one of the codes that a system gives its errors. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.some((code) => code === error.code);

/** Answers null for a file that does not exist; throws any other error again. */
export function ignoreMissing(error: unknown): null {
  if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR")) return null;
  throw error;
}

const MOST_CAUSES = 10;

/** An error's message with those of all that caused it: `fetch failed: connect ECONNREFUSED 127.0.0.1:1`. */
export function messageWithCauses(error: Error, depth = MOST_CAUSES): string {
  const own =
    error.message || (error instanceof AggregateError ? messagesOf(error.errors) : "") || error.name;
  const inner = depth > 0 && error.cause instanceof Error ? messageWithCauses(error.cause, depth - 1) : "";
  return own.includes(inner) ? own : `${own}: ${inner}`;
}

/** A connection is tried at every address of a host, each with an error of its own. */
const messagesOf = (errors: readonly unknown[]): string =>
  [...new Set(errors.map((each) => (each instanceof Error ? each.message : String(each))))].join(", ");
