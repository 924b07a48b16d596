import type { ChatProvider } from "../providers/contract.ts";
import { currentGateway } from "./gateway-scope.ts";

/**
 * The providers that come with the evaluator, for a `providerFactory` that wraps them. In a run the provider leads to
 * the gateway, which holds the key; anywhere else it calls the model itself, with the keys of the environment.
 */
export async function defaultProviderFactory(providerKey: string): Promise<ChatProvider> {
  const gateway = currentGateway();
  if (gateway !== null) return gateway.open(providerKey);
  // Imported here, so that a run's process never loads an SDK.
  const { builtInProviders } = await import("../providers/factory.ts");
  const { systemClock } = await import("./system-clock.ts");
  return builtInProviders({ clock: systemClock, scripts: {} })(providerKey);
}
