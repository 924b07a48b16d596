import type { FleetLimits } from "./domain/fleet-limit.ts";
import type { EvaluationListener } from "./engine/local-evaluation.ts";
import type { Definition } from "./engine/read-definition.ts";
import { systemClock } from "./engine/system-clock.ts";
import { builtInProviders } from "./providers/factory.ts";
import { Gateway } from "./providers/gateway.ts";
import type { HttpGateway } from "./providers/http-gateway.ts";
import type { Variables } from "./providers/keys.ts";

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
  const { HttpGateway } = await import("./providers/http-gateway.ts");
  return HttpGateway.open({ gateway, clock: systemClock, variables });
}
