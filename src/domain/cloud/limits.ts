import * as z from "zod";
import type { Limits } from "../limits.ts";

/** Lambda ends every invocation after 15 minutes. */
export const MAX_INVOCATION_SECONDS = 900;
/** For starting the run's process, checking its result and writing its entry. */
const MARGIN_SECONDS = 60;
/** The most memory of a function, and the most disk. */
const MAX_FUNCTION_MB = 10_240;
/** The least disk of a function, which Lambda asks nothing for. */
export const FREE_DISK_MB = 512;
/** What the runner itself, and a checker, need beside the run's process: of the memory, and of the disk. */
const RUNNER_OWN_MB = 256;

export const MAX_CLOUD_TIMEOUT_SECONDS = MAX_INVOCATION_SECONDS - MARGIN_SECONDS;
export const MAX_CLOUD_MEMORY_MB = MAX_FUNCTION_MB - RUNNER_OWN_MB;

/** The function that runs are invoked in. */
export interface RunnerSize {
  readonly memoryMb: number;
  /** Of `/tmp`. */
  readonly diskMb: number;
  readonly timeoutSeconds: number;
}

export const LARGEST_RUNNER: RunnerSize = {
  memoryMb: MAX_FUNCTION_MB,
  diskMb: MAX_FUNCTION_MB,
  timeoutSeconds: MAX_INVOCATION_SECONDS,
};
const SMALLEST_RUNNER: RunnerSize = {
  memoryMb: 2 * RUNNER_OWN_MB,
  diskMb: FREE_DISK_MB,
  timeoutSeconds: 2 * MARGIN_SECONDS,
};

type CloudLimits = Pick<Limits, "timeoutSeconds" | "memoryMb" | "diskMb">;

/** Memory of a function that can hold each of these runs. */
export const runnerMemoryMb = (runs: readonly Pick<CloudLimits, "memoryMb">[]): number =>
  Math.max(1_024, ...runs.map(({ memoryMb }) => memoryMb + RUNNER_OWN_MB));

/** Disk of a function on which each of these runs can fill its temp folder. */
export const runnerDiskMb = (runs: readonly Pick<CloudLimits, "diskMb">[]): number =>
  Math.max(FREE_DISK_MB, ...runs.map(({ diskMb }) => diskMb + RUNNER_OWN_MB));

/** Time that a run can take after nobody waits for it any more: it may have to begin first. */
export const longestRunSeconds = ({ timeoutSeconds }: Pick<RunnerSize, "timeoutSeconds">): number =>
  timeoutSeconds + MARGIN_SECONDS;

/** What the runner keeps of each for itself, and how it is said. */
const PARTS = {
  timeoutSeconds: { own: MARGIN_SECONDS, has: (seconds: number) => `ends after ${seconds} s` },
  memoryMb: { own: RUNNER_OWN_MB, has: (mb: number) => `has ${mb} MB` },
  diskMb: { own: RUNNER_OWN_MB, has: (mb: number) => `has ${mb} MB of disk` },
} as const;

/** Lists why a run with these limits does not fit into a runner of this size, or into any. */
export function cloudLimitTroubles(limits: CloudLimits, size: RunnerSize = LARGEST_RUNNER): string[] {
  return (["timeoutSeconds", "memoryMb", "diskMb"] as const).flatMap((part) => {
    const { own, has } = PARTS[part];
    const room = size[part] - own;
    if (limits[part] <= room) return [];
    const isLargest = size[part] >= LARGEST_RUNNER[part];
    const runner = isLargest ? "a Lambda function" : "the runner of this deployment";
    const orLarger = isLargest ? "" : `, or deploy with a larger \`runner.${part}\` in evals/index.ts`;
    return `limits.${part} is ${limits[part]}, but ${runner} ${has(size[part])} and needs ${own} of them for itself; set it to at most ${room}${orLarger}`;
  });
}

const between = (what: keyof typeof LARGEST_RUNNER) =>
  z.int().min(SMALLEST_RUNNER[what]).max(LARGEST_RUNNER[what]);

/** Settings of the function that a project's runs are invoked in: `export const runner` of `evals/index.ts`. */
export const RunnerOptions = z
  .strictObject({
    /** By default what the largest `limits.memoryMb` of the definitions needs. */
    memoryMb: between("memoryMb"),
    /** By default what the largest `limits.diskMb` of the definitions needs. */
    diskMb: between("diskMb"),
    /** By default as long as Lambda allows. */
    timeoutSeconds: between("timeoutSeconds"),
    /** Who shares warm environments: the runs of one model of an evaluation, or nobody. */
    tenantIsolation: z.enum(["per-model", "per-run"]),
  })
  .partial();
export type RunnerOptions = z.infer<typeof RunnerOptions>;
