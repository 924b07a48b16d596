import { expect, test } from "vitest";
import type { FromChild } from "../../../src/isolation/isolation.ts";
import { PipeQuota } from "../../../src/isolation/parent/child-handle.ts";

const MB = 1024 * 1024;
const call = (id: number): FromChild => ({ kind: "call", id, providerKey: "scripted", request: null });
const step: FromChild = { kind: "step", step: { kind: "note", text: "…" } };

test("steps add up, and so do calls that nobody has answered", () => {
  const quota = new PipeQuota();
  const sent = [step, call(0), step, call(1)];
  expect(sent.map((message) => quota.mayHold(message, 64 * MB))).toEqual([true, true, true, true]);
  expect(quota.mayHold(step, 1)).toBe(false);
});

test("a call that is answered is no longer held", () => {
  const quota = new PipeQuota();
  for (let id = 0; id < 100; id++) {
    expect(quota.mayHold(call(id), 200 * MB)).toBe(true);
    quota.answered(id);
  }
});

test("an answer to a call of the last task frees nothing", () => {
  const quota = new PipeQuota();
  expect(quota.mayHold(step, 256 * MB)).toBe(true);
  quota.answered(7);
  expect(quota.mayHold(step, 1)).toBe(false);
});

test("two calls under one number cannot hide each other", () => {
  const quota = new PipeQuota();
  const floods = Array.from({ length: 5 }, () => quota.mayHold(call(0), 64 * MB));
  expect(floods).toEqual([true, true, true, true, false]);
});
