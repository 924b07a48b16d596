import type { Checker, Finding } from "./checker.ts";
import { right, showValue, wrong } from "./finding.ts";

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

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
