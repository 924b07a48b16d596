import { comparedValue } from "./compared-value.ts";
import type { Checker, Finding } from "./contract.ts";
import { cannotSay, right, wrong } from "./finding.ts";
import { missingParts } from "./missing-parts.ts";

/** All that is expected is in the result, which may hold more; the items of an expected list may be anywhere in it. */
export const subset =
  (): Checker =>
  (result, expected): Finding => {
    if (expected === null || expected === undefined) return cannotSay("there is no expected value");
    const { found, missing } = missingParts(comparedValue(result, expected), expected);
    if (missing.length === 0) return right("has everything that was expected");
    return wrong(missing.join("; "), found / (found + missing.length));
  };
