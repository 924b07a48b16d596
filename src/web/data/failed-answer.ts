/** The API, or the way to it, said no. */
export class FailedAnswer extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof FailedAnswer && (error.status === 401 || error.status === 403);

/** What a server refused stays refused; what got lost on the way is asked for again. */
export const retryRule = (failures: number, error: unknown): boolean =>
  failures < 3 && !(error instanceof FailedAnswer && error.status >= 400 && error.status < 500);
