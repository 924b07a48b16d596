import type { Checker, Finding } from "./checker.ts";
import { firstDifference } from "./deep-equal.ts";
import { cannotSay, comparedValue, right, showValue, wrong } from "./finding.ts";

export interface ExactOptions {
  readonly ignoreCase?: boolean;
  /** Takes spaces at both ends away and makes one of several between words. */
  readonly ignoreSpaces?: boolean;
}

/** The result is the expected value; of a result with a `value`, that is compared where one value is expected. */
export const exact =
  (options: ExactOptions = {}): Checker =>
  (result, expected): Finding => {
    if (expected === null || expected === undefined) return cannotSay("there is no expected value");
    const value = comparedValue(result, expected);
    const difference = firstDifference(fold(value, options), fold(expected, options));
    if (difference === null) return right(`is ${showValue(value)}, as expected`);
    const isText = typeof value === "string" && typeof expected === "string";
    return wrong(isText ? `is ${showValue(value)}, expected ${showValue(expected)}` : difference);
  };

function fold(value: unknown, { ignoreCase = false, ignoreSpaces = false }: ExactOptions): unknown {
  if (typeof value !== "string") return value;
  const text = ignoreSpaces ? value.trim().replace(/\s+/g, " ") : value;
  return ignoreCase ? text.toLowerCase() : text;
}
