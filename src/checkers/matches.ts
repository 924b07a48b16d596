import type { Checker, Finding } from "./checker.ts";
import { cannotSay, comparedText, right, showValue, wrong } from "./finding.ts";

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
