import type { RunnerSize } from "./cloud-limits.ts";
import type { TenantIsolation } from "./cloud-settings.ts";

/** When an evaluation starts by itself, in the words of EventBridge Scheduler. */
export type Schedule = `rate(${string})` | `cron(${string})`;

export const isSchedule = (text: string): text is Schedule => /^(?:rate|cron)\([^()]+\)$/.test(text);

/** What the stacks have to know of the definitions that they deploy. */
export interface Deployment {
  readonly definitions: readonly { readonly name: string; readonly schedule: Schedule | null }[];
  /** The variables that the runner is given: keys and addresses of providers, and what definitions name in `env`. */
  readonly variables: readonly string[];
  /** The variables that hold the webhooks of definitions with `drift`; whoever tells of it is given them. */
  readonly alarmVariables: readonly string[];
  readonly runner: RunnerSize & { readonly tenantIsolation: TenantIsolation };
  readonly usesBedrock: boolean;
  /** Compiled packages to install for the machine that runs them, by name and version. */
  readonly packages: Readonly<Record<string, string>>;
}

/** What reads and packs definitions, on the machine that deploys them. */
export interface Packer {
  /** Refuses, with all reasons, what cannot be deployed. */
  describeDeployment(file: string): Promise<Deployment>;
  /** Puts the definitions, and what their processes need, into the folder of a function; `place` is where it will be. */
  packDefinitions(file: string, folder: string, place?: string): Promise<void>;
}
