/** Why a model call failed; `waitMs` is what the provider asked for before another try. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: "rate_limited" | "provider_error";
  readonly retryable: boolean;
  readonly waitMs: number | null;

  constructor(
    code: "rate_limited" | "provider_error",
    message: string,
    options: { retryable: boolean; waitMs?: number; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
    this.waitMs = options.waitMs ?? null;
  }
}
