import {
  type Checker,
  cannotSay,
  comparedText,
  comparedValue,
  type Finding,
  right,
  showValue,
  wrong,
} from "./checker.ts";
import { firstDifference } from "./equal.ts";

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

/** The result's text matches the given pattern, or the expected one where none is given. */
export const matches =
  (pattern?: RegExp | string): Checker =>
  (result, expected): Finding => {
    const source = pattern ?? expected;
    if (typeof source !== "string" && !(source instanceof RegExp)) {
      return cannotSay("there is no pattern: give one to matches(), or as the expected value");
    }
    // A copy without g and y, which would make a pattern remember its last match.
    const regex = new RegExp(source, source instanceof RegExp ? source.flags.replace(/[gy]/g, "") : "u");
    const text = comparedText(result);
    if (regex.test(text)) return right(`${showValue(text)} matches ${regex}`);
    return wrong(`${showValue(text)} does not match ${regex}`);
  };
