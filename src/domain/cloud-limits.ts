import type { Limits } from "./limits.ts";

/** Lambda ends every invocation after 15 minutes. */
export const MAX_INVOCATION_SECONDS = 900;
/** For starting the run's process, checking its result and writing its entry. */
const MARGIN_SECONDS = 60;
const MAX_FUNCTION_MB = 10_240;
/** What the runner itself needs beside the run's process. */
const RUNNER_OWN_MB = 256;

export const MAX_CLOUD_TIMEOUT_SECONDS = MAX_INVOCATION_SECONDS - MARGIN_SECONDS;
export const MAX_CLOUD_MEMORY_MB = MAX_FUNCTION_MB - RUNNER_OWN_MB;

export type CloudLimits = Pick<Limits, "timeoutSeconds" | "memoryMb">;

/** Memory of a function that can hold each of these runs. */
export const runnerMemoryMb = (runs: readonly CloudLimits[]): number =>
  Math.max(1_024, ...runs.map(({ memoryMb }) => memoryMb + RUNNER_OWN_MB));

/** Why a run with these limits does not fit into a Lambda function, with or without regard to its deployed size. */
export function cloudLimitTroubles(limits: CloudLimits, deployedMb: number = MAX_FUNCTION_MB): string[] {
  const { timeoutSeconds, memoryMb } = limits;
  const roomMb = deployedMb - RUNNER_OWN_MB;
  return [
    ...(timeoutSeconds > MAX_CLOUD_TIMEOUT_SECONDS
      ? [
          `limits.timeoutSeconds is ${timeoutSeconds}, but a Lambda function ends after ${MAX_INVOCATION_SECONDS} s and needs ${MARGIN_SECONDS} of them for itself; give at most ${MAX_CLOUD_TIMEOUT_SECONDS}`,
        ]
      : []),
    ...(memoryMb > roomMb
      ? [
          `limits.memoryMb is ${memoryMb}, but ${deployedMb === MAX_FUNCTION_MB ? "a" : "the deployed"} Lambda function has ${deployedMb} MB and needs ${RUNNER_OWN_MB} of them for itself; give at most ${roomMb}`,
        ]
      : []),
  ];
}
