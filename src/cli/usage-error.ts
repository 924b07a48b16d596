/** The command line makes no sense; the message says why and what would. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** The command whose `--help` explains more. */
  readonly command: string | null;

  constructor(message: string, command: string | null = null) {
    super(message);
    this.command = command;
  }
}
