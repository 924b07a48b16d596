import { resolve } from "node:path";
import type { BuildFailure, Message } from "esbuild";
import { type ErrorCode, EvaluatorError } from "../domain/errors.ts";
import { showPath } from "./places.ts";

/** Turns esbuild's failure into one message: the place, what is wrong, the line, and what to do next. */
export function asBundleError(
  failure: unknown,
  { file, root }: { readonly file: string; readonly root: string },
): EvaluatorError | undefined {
  if (!isBuildFailure(failure)) return undefined;
  const [first, ...others] = failure.errors;
  if (first === undefined) return undefined;
  const { code, what, next } = explain(first);
  const more = others.length > 0 ? `(${others.length} more like this follow once it is fixed)` : "";
  const message = [`${placeOf(first, file, root)}: ${what}`, sourceLine(first), next, more];
  return new EvaluatorError(code, message.filter(Boolean).join("\n"), { cause: failure });
}

const isBuildFailure = (value: unknown): value is BuildFailure =>
  value instanceof Error && "errors" in value && Array.isArray(value.errors);

type Explanation = Record<"what" | "next", string> & { readonly code: ErrorCode };

function explain({ text, notes }: Message): Explanation {
  const wanted = /^Could not resolve "(.+)"/.exec(text)?.[1];
  if (wanted !== undefined) return explainUnresolved(wanted);
  const hint = notes[0]?.location ? undefined : notes[0]?.text;
  return { code: "definition.syntax", what: text, next: hint ?? "Correct this line and run it again." };
}

function explainUnresolved(wanted: string): Explanation {
  const code = "definition.unresolved";
  if (/^[./]|^[A-Za-z]:\\/.test(wanted))
    return { code, what: `cannot find the file "${wanted}"`, next: "Correct the path or create the file." };
  if (wanted.startsWith("#") || wanted.includes(":"))
    return { code, what: `cannot find "${wanted}"`, next: "Correct the name." };
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(wanted)?.[0] ?? wanted;
  const next = `Is it installed? Try: npm install ${name}`;
  return { code, what: `cannot find the package "${wanted}"`, next };
}

function placeOf({ location }: Message, file: string, root: string): string {
  if (location === null) return showPath(file);
  const column = charactersIn(location.lineText, location.column) + 1;
  return `${showPath(resolve(root, location.file))}:${location.line}:${column}`;
}

function sourceLine({ location }: Message): string {
  if (!location?.lineText) return "";
  const { line, lineText, column, length } = location;
  const start = charactersIn(lineText, column);
  const width = Math.max(1, charactersIn(lineText, column + length) - start);
  const from = Math.max(0, start - 60);
  const shown = lineText.slice(from, from + 120);
  const indent = lineText.slice(from, start).replace(/[^\t]/g, " ");
  const margin = " ".repeat(String(line).length);
  return `  ${line} | ${shown}\n  ${margin} | ${indent}${"^".repeat(Math.min(width, 60))}`;
}

/** esbuild counts columns in bytes. */
function charactersIn(line: string, bytes: number): number {
  return Buffer.from(line).subarray(0, bytes).toString().length;
}
