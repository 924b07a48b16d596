import { SIGNAL_EXITS, type StopSignal } from "./exit-code.ts";

export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  /** null while nobody has asked to stop. */
  exitCode(): number | null;
}

/** `npm run` passes Ctrl-C on to a process that got it already; so soon it is not a second one. */
const ECHO_MS = 500;

/** Not SIGPIPE: it also comes when a run's process dies while we write to it, and then it means nothing. */
const LISTENED = ["SIGINT", "SIGTERM", "SIGHUP"] as const satisfies StopSignal[];

/** The first signal stops gracefully, the second at once; output that nobody reads any more stops too. */
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
  for (const signal of LISTENED) process.on(signal, stop);
  const stopReading = () => stop("SIGPIPE");
  process.stdout.on("error", stopReading);
  return {
    signal: controller.signal,
    exitCode: () => code,
    [Symbol.dispose]() {
      for (const signal of LISTENED) process.off(signal, stop);
      process.stdout.off("error", stopReading);
    },
  };
}
