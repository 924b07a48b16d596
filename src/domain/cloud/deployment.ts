import * as z from "zod";
import { type ErrorCode, isErrorCode } from "../errors.ts";
import { TenantIsolation } from "./settings.ts";

/** Time at which an evaluation starts by itself, in the words of EventBridge Scheduler. */
export type Schedule = `rate(${string})` | `cron(${string})`;

export const isSchedule = (text: string): text is Schedule => /^(?:rate|cron)\([^()]+\)$/.test(text);

const Names = z.array(z.string()).readonly();

/** Summary of the definitions that are deployed, for the stacks. */
export const Deployment = z.object({
  definitions: z
    .array(
      z
        .object({
          name: z.string(),
          schedule: z.custom<Schedule>((text) => isSchedule(String(text))).nullable(),
        })
        .readonly(),
    )
    .readonly(),
  /** The variables that the runner is given: keys and addresses of providers, and what definitions name in `env`. */
  variables: Names,
  /** The variables that hold the webhooks of definitions with `drift`, for the function that reports it. */
  alarmVariables: Names,
  runner: z
    .object({
      memoryMb: z.number(),
      diskMb: z.number(),
      timeoutSeconds: z.number(),
      tenantIsolation: TenantIsolation,
    })
    .readonly(),
  usesBedrock: z.boolean(),
  /** Compiled packages to install for the machine that runs them, by name and version. */
  packages: z.record(z.string(), z.string()).readonly(),
});
export type Deployment = z.infer<typeof Deployment>;

/** Reader and packer of definitions, on the machine that deploys them. */
export interface Packer {
  /** Refuses, with all reasons, what cannot be deployed. */
  describeDeployment(file: string): Promise<Deployment>;
  /** Puts the definitions, and what their processes need, into the folder of a function; `place` is where it will be. */
  packDefinitions(file: string, folder: string, place?: string): Promise<void>;
}

/** Answer of the packer's process. */
export const PackerAnswer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), value: z.unknown().optional() }),
  z.object({ kind: z.literal("refused"), code: z.custom<ErrorCode>(isErrorCode), message: z.string() }),
]);
export type PackerAnswer = z.infer<typeof PackerAnswer>;
