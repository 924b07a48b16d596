import type * as z from "zod";
import { isRecord } from "../domain/json.ts";
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
function firstDifference(actual: unknown, expected: unknown, path = ""): string | null {
  const areLists = Array.isArray(actual) && Array.isArray(expected);
  if (!areLists && !(isRecord(actual) && isRecord(expected)))
    return actual === expected ? null : `${at(path)}is ${showValue(actual)}, expected ${showValue(expected)}`;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const difference = differenceAt(actual, expected, key, areLists ? `${path}[${key}]` : join(path, key));
    if (difference !== null) return difference;
  }
  return null;
}

function differenceAt(actual: object, expected: object, key: string, path: string): string | null {
  const isThere = Object.hasOwn(actual, key);
  const isExpected = Object.hasOwn(expected, key);
  if (!isThere) return `${at(path)}is missing, expected ${showValue(Reflect.get(expected, key))}`;
  if (!isExpected) return `${at(path)}is ${showValue(Reflect.get(actual, key))}, expected nothing there`;
  return firstDifference(Reflect.get(actual, key), Reflect.get(expected, key), path);
}

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

const at = (path: string): string => (path === "" ? "" : `${path} `);

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

/** The share by which arithmetic on binary fractions is off. */
const ARITHMETIC_ERROR = 1e-9;

export interface NumericOptions {
  /** The largest difference that is right. */
  readonly tolerance?: number;
  /** The same as a share of the expected number: 0.01 is 1%. */
  readonly relative?: number;
  /** Takes the last number in a text, instead of a text that is a number. */
  readonly findInText?: boolean;
}

/** The result is the expected number, or close enough to it; `1,234.50` in a text is a number too. */
export const numeric =
  ({ tolerance = 0, relative = 0, findInText = false }: NumericOptions = {}): Checker =>
  (result, expected): Finding => {
    const wanted = toNumber(expected, false);
    if (wanted === null) return cannotSay(`the expected value ${showValue(expected)} is not a number`);
    const value = comparedValue(result, wanted);
    const number = toNumber(value, findInText);
    if (number === null) return wrong(`${showValue(value)} is not a number, expected ${wanted}`);
    const allowed = Math.max(tolerance, Math.abs(wanted) * Math.max(relative, ARITHMETIC_ERROR));
    const off = Math.abs(number - wanted);
    if (off <= allowed)
      return right(off === 0 ? `is ${number}, as expected` : `is ${number}, close enough to ${wanted}`);
    return wrong(`is ${number}, expected ${wanted}${tolerance > 0 || relative > 0 ? ` ± ${allowed}` : ""}`);
  };

const NUMBER = /[-+−]?(?:\d{1,3}(?:[, ]\d{3})+|\d+)?(?:\.\d+)?(?:e[-+]?\d+)?/;

function toNumber(value: unknown, findInText: boolean): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string") return null;
  if (!findInText)
    return new RegExp(`^\\s*${NUMBER.source}\\s*$`, "i").test(value) ? readNumber(value) : null;
  const found = value.match(new RegExp(NUMBER, "gi"));
  return found?.reduce<number | null>((last, text) => readNumber(text) ?? last, null) ?? null;
}

function readNumber(text: string): number | null {
  const plain = text.replace(/[,\s]/g, "").replace("−", "-");
  const number = /\d/.test(plain) ? Number(plain) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

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
  /** Each missing part in words. */
  readonly missing: readonly string[];
}

/** Looks for the parts of an expected JSON value in an actual one, which may hold more. */
export function missingParts(actual: unknown, expected: unknown, path = ""): PartsFound {
  if (Array.isArray(expected) && Array.isArray(actual)) return lookInList(actual, expected, path);
  if (isRecord(expected) && isRecord(actual)) {
    return sum(
      Object.entries(expected).map(([key, value]) => {
        const inner = join(path, key);
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

/** The whole result is what the zod schema asks for. */
export const schema =
  (wanted: z.ZodType): Checker =>
  async (result): Promise<Finding> => {
    const checked = await wanted.safeParseAsync(result);
    if (checked.success) return right("has the expected shape");
    const lines = checked.error.issues.map(
      ({ path, message }) => `${path.map(String).join(".") || "the result"}: ${message}`,
    );
    return wrong(lines.join("; "));
  };
