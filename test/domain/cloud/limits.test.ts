import fc from "fast-check";
import { expect, test } from "vitest";
import {
  cloudLimitTroubles,
  LARGEST_RUNNER,
  runnerDiskMb,
  runnerMemoryMb,
} from "../../../src/domain/cloud/limits.ts";

const usual = { timeoutSeconds: 300, memoryMb: 1_024, diskMb: 1_024 };

test.each([
  [840, 9_984, 9_984, []],
  [840.5, 1_024, 1, [/timeoutSeconds is 840.5, .* ends after 900 s .* at most 840$/]],
  [300, 9_985, 1, [/memoryMb is 9985, but a Lambda function has 10240 MB .* at most 9984$/]],
  [300, 1_024, 9_985, [/diskMb is 9985, but a Lambda function has 10240 MB of disk .* at most 9984$/]],
  [900, 20_000, 20_000, [/timeoutSeconds/, /memoryMb/, /diskMb/]],
])("%s s, %s MB and %s MB of disk in any function", (timeoutSeconds, memoryMb, diskMb, troubles) => {
  const found = cloudLimitTroubles({ timeoutSeconds, memoryMb, diskMb });
  expect(found).toEqual(troubles.map((trouble) => expect.stringMatching(trouble)));
});

test("a deployed function holds what it was made for, and says when it cannot hold more", () => {
  const size = { memoryMb: runnerMemoryMb([usual]), diskMb: runnerDiskMb([usual]), timeoutSeconds: 360 };
  expect(cloudLimitTroubles(usual, size)).toEqual([]);
  expect(cloudLimitTroubles({ timeoutSeconds: 301, memoryMb: 1_025, diskMb: 1_025 }, size)).toEqual([
    "limits.timeoutSeconds is 301, but the runner of this deployment ends after 360 s and needs 60 of them for itself; set it to at most 300, or deploy with a larger `runner.timeoutSeconds` in evals/index.ts",
    "limits.memoryMb is 1025, but the runner of this deployment has 1280 MB and needs 256 of them for itself; set it to at most 1024, or deploy with a larger `runner.memoryMb` in evals/index.ts",
    "limits.diskMb is 1025, but the runner of this deployment has 1280 MB of disk and needs 256 of them for itself; set it to at most 1024, or deploy with a larger `runner.diskMb` in evals/index.ts",
  ]);
});

test("whatever fits into Lambda fits into the function made for it", () => {
  const run = fc.record({
    timeoutSeconds: fc.integer({ min: 1, max: 840 }),
    memoryMb: fc.integer({ min: 64, max: 9_984 }),
    diskMb: fc.integer({ min: 1, max: 9_984 }),
  });
  fc.assert(
    fc.property(fc.array(run), (runs) => {
      const size = { ...LARGEST_RUNNER, memoryMb: runnerMemoryMb(runs), diskMb: runnerDiskMb(runs) };
      expect(size.memoryMb).toBeLessThanOrEqual(10_240);
      expect(size.diskMb).toBeLessThanOrEqual(10_240);
      // Lambda has no function with less.
      expect(size.diskMb).toBeGreaterThanOrEqual(512);
      for (const limits of runs) expect(cloudLimitTroubles(limits, size)).toEqual([]);
    }),
  );
});
