/** `limit` is a reply that is larger or deeper than any reply of a model. */
type ProviderErrorCode = "rate_limited" | "provider_error" | "limit";

/** Why a model call failed; `waitMs` is what the provider asked for before another try. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: ProviderErrorCode;
  readonly retryable: boolean;
  readonly waitMs: number | null;

  constructor(
    code: ProviderErrorCode,
    message: string,
    options: { retryable: boolean; waitMs?: number; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
    this.waitMs = options.waitMs ?? null;
  }
}
