import type { Clock } from "../../domain/clock.ts";
import type { Store } from "../../store/contract.ts";
import type { DeployedDefinitions } from "./deployed-definitions.ts";
import type { Executions } from "./executions.ts";
import type { RunnerMeans } from "./runner-means.ts";

/** What an engine in an AWS account works with. */
export interface CloudParts {
  readonly store: Store;
  readonly executions: Executions;
  /** Opened when they are first asked for. */
  readonly definitions: () => Promise<DeployedDefinitions>;
  /** No run may need more. */
  readonly runner: RunnerMeans;
  readonly clock: Clock;
  readonly random: () => number;
}
