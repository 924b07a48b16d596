/** Whether an error is one of those that a system calls by these names. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && "code" in error && codes.some((code) => code === error.code);

/** For a file that need not be there: null when it is not; any other error is thrown again. */
export function ignoreMissing(error: unknown): null {
  if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR")) return null;
  throw error;
}
