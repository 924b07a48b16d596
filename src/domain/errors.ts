/** Whether an error is one of those that a system calls by these names. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.some((code) => code === error.code);

/** For a file that need not be there: null when it is not; any other error is thrown again. */
export function ignoreMissing(error: unknown): null {
  if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR")) return null;
  throw error;
}

/** A surprise that the user must hear of: a stable code, whether trying again may help, and the cause. */
export class EvaluatorError extends Error {
  override readonly name = "EvaluatorError";
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}
