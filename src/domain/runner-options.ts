import * as z from "zod";
import { LARGEST_RUNNER, SMALLEST_RUNNER } from "./cloud-limits.ts";

const between = (what: keyof typeof LARGEST_RUNNER) =>
  z.int().min(SMALLEST_RUNNER[what]).max(LARGEST_RUNNER[what]);

/** What a project may say of the function that its runs are invoked in: `export const runner` of `evals/index.ts`. */
export const RunnerOptions = z
  .strictObject({
    /** By default what the largest `limits.memoryMb` of the definitions needs. */
    memoryMb: between("memoryMb"),
    /** By default as long as Lambda allows. */
    timeoutSeconds: between("timeoutSeconds"),
    /** Who shares warm environments: the runs of one model of an evaluation, or nobody. */
    tenantIsolation: z.enum(["per-model", "per-run"]),
  })
  .partial();
export type RunnerOptions = z.infer<typeof RunnerOptions>;
