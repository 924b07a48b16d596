import { isRecord } from "../domain/json.ts";
import { type Checker, cannotSay, comparedValue, type Finding, right, showValue, wrong } from "./checker.ts";

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

/** The whole result has the same content as the expected value; the order of keys does not matter. */
export const deepEqual =
  (): Checker =>
  (result, expected): Finding => {
    const difference = firstDifference(result, expected);
    return difference === null ? right("is equal to what was expected") : wrong(difference);
  };

/** The first place where two JSON values differ, in words; null when they are equal. */
export function firstDifference(actual: unknown, expected: unknown, path = ""): string | null {
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return firstOf(Math.max(actual.length, expected.length), (index) =>
      differenceAt(actual, expected, index, `${path}[${index}]`),
    );
  }
  if (isRecord(actual) && isRecord(expected)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
    return firstOf(keys.length, (index) => {
      const key = keys[index] ?? "";
      return differenceAt(actual, expected, key, path === "" ? key : `${path}.${key}`);
    });
  }
  return actual === expected ? null : `${at(path)}is ${showValue(actual)}, expected ${showValue(expected)}`;
}

function differenceAt(actual: object, expected: object, key: string | number, path: string): string | null {
  const isThere = Object.hasOwn(actual, key);
  const isExpected = Object.hasOwn(expected, key);
  if (!isThere) return `${at(path)}is missing, expected ${showValue(Reflect.get(expected, key))}`;
  if (!isExpected) return `${at(path)}is ${showValue(Reflect.get(actual, key))}, expected nothing there`;
  return firstDifference(Reflect.get(actual, key), Reflect.get(expected, key), path);
}

function firstOf(count: number, find: (index: number) => string | null): string | null {
  for (let index = 0; index < count; index++) {
    const found = find(index);
    if (found !== null) return found;
  }
  return null;
}

const at = (path: string): string => (path === "" ? "" : `${path} `);
