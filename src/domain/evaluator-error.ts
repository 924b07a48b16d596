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
