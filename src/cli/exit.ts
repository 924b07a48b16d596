import { isEvaluatorError, messageWithCauses } from "../domain/errors.ts";
import { Redactor } from "../domain/redact.ts";
import { knownSecrets } from "../providers/secrets.ts";
import type { CliHost } from "./host.ts";
import { escapeLines, type Line, printWhole, type Span } from "./text/screen.ts";

/** Prints one clear message on stderr, and a stack only when the user asked for it; returns the exit code. */
export function reportError(error: unknown, host: CliHost): number {
  const redactor = new Redactor(knownSecrets(host.env, []).all);
  const lines = [...errorLines(error, host), ...(host.isDebug ? stackLines(error) : [])];
  printWhole(
    host.stderr,
    lines.map((line) => line.map(([text, style]): Span => [redactor.text(text), style])),
  );
  return error instanceof UsageError ? EXIT.usage : EXIT.broke;
}

function errorLines(error: unknown, host: CliHost): Line[] {
  if (error instanceof UsageError) {
    const more = [host.commandName, ...(host.command === null ? [] : [host.command]), "--help"].join(" ");
    return [...messageLines(error.message), [["See "], [more, "cyan"]]];
  }
  if (error instanceof Error && /\bE[MN]FILE\b/.test(error.message))
    return messageLines(`${error.message}\n${TOO_MANY_OPEN}`);
  if (isEvaluatorError(error) || isSystemError(error)) return messageLines(error.message);
  const message = error instanceof Error ? `${error.name}: ${messageWithCauses(error)}` : String(error);
  return [
    ...messageLines(message),
    [["This is a bug in agent-evaluator, please report it; --debug shows where it happened.", "dim"]],
  ];
}

function messageLines(message: string): Line[] {
  const [first = "", ...rest] = escapeLines(message);
  return [[["error: ", "red"], [first]], ...rest.map((line): Line => [[line]])];
}

const TOO_MANY_OPEN =
  "Too many files are open at once: lower --concurrency, or allow more with `ulimit -n 1024`.";

/** A full disk or a missing permission is not a bug. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && "syscall" in error;

const MOST_STACKS = 10;

function stackLines(error: unknown): Line[] {
  if (!(error instanceof Error)) return [];
  const stacks = [error.stack ?? ""];
  for (let { cause } = error; cause instanceof Error && stacks.length < MOST_STACKS; { cause } = cause) {
    stacks.push(`caused by ${cause.stack}`);
  }
  return stacks.flatMap(escapeLines).map((line): Line => [[line, "dim"]]);
}

/** Exit codes, as docs/reference/exit-codes.md lists them. */
export const EXIT = {
  done: 0,
  broke: 1,
  usage: 2,
  threshold: 3,
  budget: 4,
  undecided: 5,
} as const;

/** A stop by signal is 128 + its number, as shells count: Ctrl-C 130, SIGTERM 143, SIGHUP 129, a closed pipe 141. */
export const SIGNAL_EXITS = {
  SIGINT: 130,
  SIGTERM: 143,
  SIGHUP: 129,
  SIGPIPE: 141,
} as const;

type StopSignal = keyof typeof SIGNAL_EXITS;

/** Returns the worse exit code: an error matters more than a missed threshold. */
export function worseExit(a: number, b: number): number {
  const order: readonly number[] = [
    EXIT.done,
    EXIT.undecided,
    EXIT.budget,
    EXIT.threshold,
    EXIT.usage,
    EXIT.broke,
  ];
  return order.indexOf(a) >= order.indexOf(b) ? a : b;
}

/** The command line makes no sense; the message says why and what would. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  /** null while no stop was requested. */
  exitCode(): number | null;
}

/** `npm run` passes Ctrl-C on to a process that got it already; so soon it is not a second one. */
const ECHO_MS = 500;

/** Not SIGPIPE: it also comes when a run's process dies while we write to it, and then it means nothing. */
const LISTENED = ["SIGINT", "SIGTERM", "SIGHUP"] as const satisfies StopSignal[];

/** Stops gracefully at the first signal, at once and after last words at the second; a closed output pipe stops too. */
export function listenForStop(
  process: NodeJS.Process,
  onStop: (signal: StopSignal) => void,
  lastWords: () => void = () => {},
): Interruption {
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
    if (signal === "SIGPIPE" || performance.now() - firstAtMs <= ECHO_MS) return;
    lastWords();
    process.exit(SIGNAL_EXITS[signal]);
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
