import { SIGNAL_EXITS, type StopSignal } from "./exit-code.ts";

export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  /** null while nobody has asked to stop. */
  exitCode(): number | null;
}

/** `npm run` passes Ctrl-C on to a process that got it already; so soon it is not a second one. */
const ECHO_MS = 500;

/** The first signal stops gracefully, the second at once. */
export function listenForStop(process: NodeJS.Process, onStop: (signal: StopSignal) => void): Interruption {
  const controller = new AbortController();
  let code: number | null = null;
  let firstAtMs = 0;
  const stop = (signal: StopSignal) => {
    if (code === null) {
      code = SIGNAL_EXITS[signal];
      firstAtMs = performance.now();
      controller.abort(new Error(`stopped by ${signal}`));
      onStop(signal);
      return;
    }
    if (signal !== "SIGPIPE" && performance.now() - firstAtMs > ECHO_MS) process.exit(SIGNAL_EXITS[signal]);
  };
  const signals = Object.keys(SIGNAL_EXITS) as StopSignal[];
  for (const signal of signals) process.on(signal, stop);
  return {
    signal: controller.signal,
    exitCode: () => code,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}
