import { expect, test } from "vitest";
import { Limits, type LimitsInput } from "../../src/domain/limits.ts";

test("without a word from the user a run has five minutes, a gigabyte and a megabyte of result", () => {
  expect(Limits.parse({})).toEqual({
    timeoutSeconds: 300,
    maxWaitSeconds: 600,
    memoryMb: 1_024,
    diskMb: 1_024,
    outputKb: 10_240,
    resultKb: 1_024,
  });
});

test.each<LimitsInput>([
  { timeoutSeconds: 0 },
  { timeoutSeconds: -1 },
  { timeoutSeconds: Number.POSITIVE_INFINITY },
  { maxWaitSeconds: -1 },
  { memoryMb: 63 },
  { memoryMb: 100.5 },
  { memoryMb: 1e15 },
  { diskMb: 0 },
  { diskMb: 1e15 },
  { outputKb: 0 },
  { outputKb: 1e15 },
  { resultKb: 0 },
  { resultKb: 16_385 },
  { maxTokens: 0 },
  { maxTurns: 0 },
  { maxTurns: 1.5 },
  { maxCostUsd: 0 },
])("%j is no limit", (limits) => {
  expect(Limits.safeParse(limits).success).toBe(false);
});

test.each<LimitsInput>([
  { timeoutSeconds: 0.5 },
  { maxWaitSeconds: 0 },
  { memoryMb: 64 },
  { memoryMb: 1_048_576 },
  { maxTurns: 1 },
  { maxCostUsd: 1e-6 },
])("%j is a limit", (limits) => {
  expect(Limits.parse(limits)).toMatchObject(limits);
});
