import type { Checker, Finding } from "./checker.ts";
import { firstDifference } from "./deep-equal.ts";
import { cannotSay, comparedText, comparedValue, right, showValue, wrong } from "./finding.ts";

export interface IncludesOptions {
  readonly ignoreCase?: boolean;
}

/** The result's text (or list) holds every given part, or every expected one where none is given. */
export const includes =
  (parts?: string | readonly string[], { ignoreCase = false }: IncludesOptions = {}): Checker =>
  (result, expected): Finding => {
    const wanted = listOf(parts ?? expected);
    if (wanted.length === 0) return cannotSay("there is nothing to look for: no expected value is given");
    const missing = wanted.filter((part) => !holds(result, part, ignoreCase));
    if (missing.length === 0) return right(`includes ${wanted.map(showValue).join(", ")}`);
    const score = (wanted.length - missing.length) / wanted.length;
    return wrong(
      `${showValue(comparedValue(result, ""))} does not include ${missing.map(showValue).join(", ")}`,
      score,
    );
  };

function listOf(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function holds(result: unknown, part: unknown, ignoreCase: boolean): boolean {
  const value = comparedValue(result, "");
  if (Array.isArray(value)) return value.some((item) => firstDifference(item, part) === null);
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  return fold(comparedText(result)).includes(fold(typeof part === "string" ? part : JSON.stringify(part)));
}
