import type { Checker, Finding } from "./contract.ts";
import { right, wrong } from "./finding.ts";
import { firstDifference } from "./first-difference.ts";

/** The whole result has the same content as the expected value; the order of keys does not matter. */
export const deepEqual =
  (): Checker =>
  (result, expected): Finding => {
    const difference = firstDifference(result, expected);
    return difference === null ? right("is equal to what was expected") : wrong(difference);
  };
