import { expect, test } from "vitest";
import { FAILURE_CAUSES, failure } from "../../../src/domain/run/failure.ts";

const TABLE = [
  ["no_answer", "model"],
  ["agent_error", "model"],
  ["timeout", "model"],
  ["limit", "model"],
  ["provider_error", "infrastructure"],
  ["rate_limited", "infrastructure"],
  ["out_of_memory", "infrastructure"],
  ["crashed", "infrastructure"],
  ["checker_error", "infrastructure"],
  ["budget", "stopped"],
  ["cancelled", "stopped"],
] as const;

test.each(TABLE)("%s is the fault of: %s", (cause, fault) => {
  expect(failure(cause, "why")).toEqual({ cause, fault, message: "why" });
});

test("there is no other cause", () => {
  expect(FAILURE_CAUSES).toEqual(TABLE.map(([cause]) => cause));
});
