/** What the shell is told; the README lists the same numbers. */
export const EXIT = {
  done: 0,
  broke: 1,
  usage: 2,
  threshold: 3,
  budget: 4,
} as const;

/** A stop by signal is 128 + its number, as shells count: Ctrl-C 130, SIGTERM 143, SIGHUP 129, a closed pipe 141. */
export const SIGNAL_EXITS = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  SIGPIPE: 141,
} as const;

export type StopSignal = keyof typeof SIGNAL_EXITS;

/** What broke matters more than what was not good enough. */
export function worseExit(a: number, b: number): number {
  const order = [EXIT.done, EXIT.budget, EXIT.threshold, EXIT.usage, EXIT.broke] as readonly number[];
  return order.indexOf(a) >= order.indexOf(b) ? a : b;
}
