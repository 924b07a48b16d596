import { expect, test } from "vitest";
import { FAILURE_CAUSES, Failure, failure } from "../../../src/domain/run/failure.ts";

const TABLE = [
  ["no_answer", "model"],
  ["timeout", "model"],
  ["limit", "model"],
  ["agent_error", "code"],
  ["checker_error", "code"],
  ["out_of_memory", "code"],
  ["provider_error", "infrastructure"],
  ["rate_limited", "infrastructure"],
  ["crashed", "infrastructure"],
  ["budget", "stopped"],
  ["cancelled", "stopped"],
] as const;

test.each(TABLE)("%s is the fault of: %s", (cause, fault) => {
  expect(failure(cause, "why")).toEqual({ cause, fault, message: "why" });
});

test("there is no other cause", () => {
  expect(FAILURE_CAUSES).toEqual(TABLE.map(([cause]) => cause));
});

test("a failure that an earlier release stored has the fault of its cause today", () => {
  const stored = { cause: "agent_error", fault: "model", message: "why" };
  expect(Failure.parse(stored)).toEqual({ ...stored, fault: "code" });
});
