import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  ERROR_STATUS,
  EvaluatorError,
  hasCode,
  ignoreMissing,
  isErrorCode,
  isEvaluatorError,
  messageWithCauses,
} from "../../src/domain/errors.ts";

const failed = (code: string) => Object.assign(new Error(code), { code });

test.each<[what: string, error: unknown, expected: boolean]>([
  ["one of the codes", failed("EEXIST"), true],
  ["another code", failed("EACCES"), false],
  ["no code", new Error("EEXIST"), false],
  ["no error", { code: "EEXIST" }, false],
  ["nothing", null, false],
])("an error with %s", (_what, error, expected) => {
  expect(hasCode(error, "ENOENT", "EEXIST")).toBe(expected);
});

test("a file that is not there is null, and what may not be read is thrown again", () => {
  for (const code of ["ENOENT", "ENOTDIR", "EISDIR"]) expect(ignoreMissing(failed(code))).toBeNull();
  expect(() => ignoreMissing(failed("EACCES"))).toThrow("EACCES");
});

test("only a code of the table makes an error", () => {
  // @ts-expect-error A misspelt code does not compile.
  expect(isErrorCode(new EvaluatorError("evaluation.unkown", "").code)).toBe(false);
  expect(isErrorCode("toString")).toBe(false);
});

test.each([
  ["store.busy", true],
  ["cloud.busy", true],
  ["evaluation.unknown", false],
  ["store.unusable", false],
] as const)("an error %s may help to try again: %s", (code, expected) => {
  expect(new EvaluatorError(code, "").retryable).toBe(expected);
});

test("an error of another copy of the class is recognised", () => {
  const copy = Object.assign(new Error("there is none"), { name: "EvaluatorError", code: "run.unknown" });
  expect(isEvaluatorError(copy)).toBe(true);
  expect(isEvaluatorError(Object.assign(copy, { code: "of.somebody" }))).toBe(false);
  expect(isEvaluatorError(new Error("another"))).toBe(false);
});

test("every code is used", () => {
  const files = globSync("{src,functions}/**/*.{ts,tsx}").filter((file) => file !== "src/domain/errors.ts");
  const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
  expect(Object.keys(ERROR_STATUS).filter((name) => !code.includes(`"${name}"`))).toEqual([]);
});

test("an error has the messages of all that caused it, each once", () => {
  const refused = new AggregateError([new Error("refused ::1"), new Error("refused 127.0.0.1")]);
  const failed = new TypeError("fetch failed", { cause: refused });
  expect(messageWithCauses(new Error("no answer", { cause: failed }))).toBe(
    "no answer: fetch failed: refused ::1, refused 127.0.0.1",
  );
  expect(messageWithCauses(new Error("told: gone", { cause: new Error("gone") }))).toBe("told: gone");
  const circular = new Error("round");
  circular.cause = new Error("and", { cause: circular });
  expect(messageWithCauses(circular)).toMatch(/^round: and/);
});
