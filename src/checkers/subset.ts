import { isRecord } from "../domain/json.ts";
import { type Checker, cannotSay, comparedValue, type Finding, right, showValue, wrong } from "./checker.ts";

/** All that is expected is in the result, which may hold more; the items of an expected list may be anywhere in it. */
export const subset =
  (): Checker =>
  (result, expected): Finding => {
    if (expected === null || expected === undefined) return cannotSay("there is no expected value");
    const { found, missing } = missingParts(comparedValue(result, expected), expected);
    if (missing.length === 0) return right("has everything that was expected");
    return wrong(missing.join("; "), found / (found + missing.length));
  };

interface PartsFound {
  readonly found: number;
  /** What is not there, in words. */
  readonly missing: readonly string[];
}

/** Which parts of an expected JSON value are in an actual one, which may hold more. */
export function missingParts(actual: unknown, expected: unknown, path = ""): PartsFound {
  if (Array.isArray(expected) && Array.isArray(actual)) return lookInList(actual, expected, path);
  if (isRecord(expected) && isRecord(actual)) {
    return sum(
      Object.entries(expected).map(([key, value]) => {
        const inner = path === "" ? key : `${path}.${key}`;
        return Object.hasOwn(actual, key)
          ? missingParts(actual[key], value, inner)
          : lost("missing", value, inner);
      }),
    );
  }
  return actual === expected ? { found: 1, missing: [] } : lost(showValue(actual), expected, path);
}

/** Each expected item needs an item of its own, wherever it is; one that fits several leaves room for the others. */
function lookInList(actual: readonly unknown[], expected: readonly unknown[], path: string): PartsFound {
  const takenBy = new Map<number, number>();
  const place = (item: number, tried: Set<number>): boolean =>
    actual.some((candidate, index) => {
      if (tried.has(index) || missingParts(candidate, expected[item]).missing.length > 0) return false;
      tried.add(index);
      const owner = takenBy.get(index);
      if (owner !== undefined && !place(owner, tried)) return false;
      takenBy.set(index, item);
      return true;
    });
  return sum(
    expected.map((item, index) =>
      place(index, new Set())
        ? { found: 1, missing: [] }
        : { found: 0, missing: [`${path}[${index}]: no item of its own has ${showValue(item)}`] },
    ),
  );
}

const lost = (actual: string, expected: unknown, path: string): PartsFound => ({
  found: 0,
  missing: [`${path === "" ? "the result" : path} is ${actual}, expected ${showValue(expected)}`],
});

const sum = (parts: readonly PartsFound[]): PartsFound => ({
  found: parts.reduce((count, { found }) => count + found, 0),
  missing: parts.flatMap(({ missing }) => missing),
});
