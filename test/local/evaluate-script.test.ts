import { join } from "node:path";
import { expect, test } from "vitest";
import { whyNotAgain } from "../../src/local/evaluate-script.ts";

const HERE = import.meta.filename;

test.each([
  ["a script", HERE, {}],
  ["a script that a test started", HERE, { VITEST: "true", JEST_WORKER_ID: "1" }],
  ["a folder with a main file", join(HERE, "../../../node_modules/esbuild"), {}],
])("%s can be started again", (_what, script, variables) => {
  expect(whyNotAgain(script, variables)).toBeNull();
});

test.each([
  ["vitest", "/p/node_modules/vitest/dist/workers/forks.js"],
  [
    "jest-worker",
    "/p/node_modules/.pnpm/jest-worker@30/node_modules/jest-worker/build/workers/processChild.js",
  ],
  ["mocha", "C:\\p\\node_modules\\mocha\\bin\\mocha.js"],
])("%s cannot be started again", (runner, script) => {
  expect(whyNotAgain(script, {})).toBe(`inside a test runner (${runner})`);
});

test("this very test cannot be started again", () => {
  expect(whyNotAgain(process.argv[1], process.env)).toMatch(/^inside a test runner \(/);
});

test.each([
  ["a REPL", undefined, {}, /REPL/],
  ["node -e with an argument", "some word", {}, /node -e/],
  ["a program from standard input", "-", {}, /node -e/],
  ["node --test", HERE, { NODE_TEST_CONTEXT: "child-v8" }, /node --test/],
])("%s cannot be started again", (_what, script, variables, why) => {
  expect(whyNotAgain(script, variables)).toMatch(why);
});
