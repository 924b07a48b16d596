import type { DefinitionBundle } from "../bundle/bundle.ts";
import { CHILD_FLAG } from "../child/reentry.ts";
import { serveTasks } from "../child/serve-tasks.ts";
import type { FleetLimits } from "../domain/fleet-limit.ts";
import type { PriceList } from "../domain/run/usage.ts";
import type { Definition } from "../engine/definition/read-definition.ts";
import type { EvaluationListener } from "../engine/local/local-evaluation.ts";
import type { Redaction } from "../engine/run/redaction.ts";
import { Gateway } from "../gateway/gateway.ts";
import type { HttpGateway } from "../gateway/http/server.ts";
import { InProcessIsolation } from "../isolation/in-process.ts";
import type { Isolation } from "../isolation/isolation.ts";
import { ProcessIsolation } from "../isolation/parent/process-isolation.ts";
import { builtInProviders } from "../providers/built-in.ts";
import { priceList } from "../providers/prices.ts";
import type { Variables } from "../providers/table.ts";
import { systemClock } from "../system/clock.ts";
import { reaperFile } from "./own-files.ts";

export interface IsolationSetup {
  /** Null only with isolation "none". */
  readonly bundle: DefinitionBundle | null;
  /** What tells a child which evaluation of the bundle it serves; by default the file's default export. */
  readonly childArgs?: readonly string[];
}

/** Where the runs of a definition execute on this machine. */
export function makeIsolation(
  definition: Definition,
  { bundle, childArgs }: IsolationSetup,
  { kept }: Redaction,
  issuePass: HttpGateway["issuePass"] | undefined,
): Isolation {
  if (definition.isolation === "none" || bundle === null) {
    return new InProcessIsolation(serveTasks(definition.options), issuePass);
  }
  return new ProcessIsolation({
    ...processSpec(definition, bundle, childArgs ?? ["file"]),
    kind: definition.isolation,
    concurrency: definition.concurrency,
    variables: process.env,
    reaperFile: reaperFile(),
    redactor: kept,
    issuePass,
  });
}

/** What the definition itself says of the processes of its runs. */
export const processSpec = (
  { permissions, trusted, limits, env }: Definition,
  bundle: DefinitionBundle,
  childArgs: readonly string[],
) => ({
  bundle,
  childArgs: [CHILD_FLAG, ...childArgs],
  access: { ...permissions, trusted },
  limits,
  allowedVariables: env,
  cwd: process.cwd(),
  mapStack: bundle.mapStack,
});

/** The one place through which the models of a definition are called. */
export const makeGateway = (
  { scripts }: Definition,
  listener: EvaluationListener = {},
  variables: Variables = process.env,
  fleet?: FleetLimits,
): Gateway =>
  new Gateway({
    factory: builtInProviders({ clock: systemClock, scripts, variables }),
    clock: systemClock,
    random: Math.random,
    onLimit: (providerKey, calls) => listener.limited?.(providerKey, calls),
    fleet,
  });

/** For agents that bring their own SDK; only a definition that asks for it gets a server. */
export async function openHttpGateway(
  definition: Definition,
  gateway: Gateway,
  variables: Variables = process.env,
): Promise<HttpGateway | undefined> {
  if (!definition.gateway) return undefined;
  const { HttpGateway } = await import("../gateway/http/server.ts");
  return HttpGateway.open({ gateway, clock: systemClock, variables });
}

/** The prices of a definition: its own win over the list. */
export const makePrices = ({ prices }: Definition): PriceList =>
  priceList({ own: prices, now: () => systemClock.now() });
