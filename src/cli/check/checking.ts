import type { ShownOn } from "../run/choose-reporter.ts";

/** One call of `check`: where it is shown, what ends it, and what was typed. */
export interface Checking extends ShownOn {
  readonly signal: AbortSignal;
  readonly id: string | undefined;
  readonly file: string | undefined;
}
