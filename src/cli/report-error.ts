import { Redactor } from "../domain/redact.ts";
import { knownSecrets } from "../providers/known-secrets.ts";
import { EXIT } from "./exit-code.ts";
import type { Host } from "./host.ts";
import { printWhole } from "./screen.ts";
import { escapeLines } from "./text/escape-text.ts";
import type { Line, Span } from "./text/line.ts";
import { UsageError } from "./usage-error.ts";

/** One clear message on stderr; a stack only when the user asked for it. */
export function reportError(error: unknown, host: Host): number {
  const redactor = new Redactor(knownSecrets(host.env, []).all);
  const lines = [...errorLines(error, host), ...(host.isDebug ? stackLines(error) : [])];
  printWhole(
    host.stderr,
    lines.map((line) => line.map(([text, style]): Span => [redactor.text(text), style])),
  );
  return error instanceof UsageError ? EXIT.usage : EXIT.broke;
}

function errorLines(error: unknown, host: Host): Line[] {
  if (error instanceof UsageError) {
    const more = `${host.commandName} ${error.command === null ? "" : `${error.command} `}--help`;
    return [...messageLines(error.message), [["See "], [more, "cyan"]]];
  }
  if (isExplained(error) || isSystemError(error)) return messageLines(error.message);
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return [
    ...messageLines(message),
    [["This is a bug in agent-evaluator, please report it; --debug shows where it happened.", "dim"]],
  ];
}

function messageLines(message: string): Line[] {
  const [first = "", ...rest] = escapeLines(message);
  return [[["error: ", "red"], [first]], ...rest.map((line): Line => [[line]])];
}

/** By name, because a bundled definition carries its own copy of the class. */
const isExplained = (error: unknown): error is Error =>
  error instanceof Error && error.name === "EvaluatorError";

/** A full disk or a missing permission is nobody's bug. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && "syscall" in error;

function stackLines(error: unknown): Line[] {
  if (!(error instanceof Error)) return [];
  const cause = error.cause instanceof Error ? [`caused by ${error.cause.stack}`] : [];
  return [error.stack ?? "", ...cause].flatMap(escapeLines).map((line): Line => [[line, "dim"]]);
}
