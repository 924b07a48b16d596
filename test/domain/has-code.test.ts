import { expect, test } from "vitest";
import { hasCode, ignoreMissing } from "../../src/domain/errors.ts";

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
