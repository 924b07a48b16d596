import { expect, test } from "vitest";
import { parseJson } from "../../src/domain/json.ts";

test.each<[text: string, value: unknown]>([
  ["null", null],
  ["[1]", [1]],
  ['"undefined"', "undefined"],
  ["", undefined],
  ["undefined", undefined],
  ["{", undefined],
  ["{} {}", undefined],
])("%j says %j", (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
