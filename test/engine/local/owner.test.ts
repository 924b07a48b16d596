import { hostname } from "node:os";
import { expect, test } from "vitest";
import { isInterrupted, thisOwner } from "../../../src/engine/local/owner.ts";
import { anEvaluation } from "../../fixtures/records/a-log-entry.ts";

test.each([
  ["whose process is gone", { owner: `${hostname()}:999999999` }, true],
  ["whose process works", { owner: thisOwner() }, false],
  ["of another machine, which cannot be asked", { owner: "elsewhere:1" }, false],
  ["that nobody took", { owner: null }, true],
  ["that an execution in the cloud works on", { owner: null, execution: "capitals-1" }, false],
  ["that has ended", { owner: null, status: "finished" as const }, false],
])("an evaluation %s: interrupted is told apart", (_which, fields, isLost) => {
  expect(isInterrupted(anEvaluation({ status: "running", ...fields }))).toBe(isLost);
});
