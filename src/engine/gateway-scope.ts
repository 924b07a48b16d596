import { AsyncLocalStorage } from "node:async_hooks";
import type { ChatProvider } from "../providers/contract.ts";

/** Where code that belongs to a run gets its providers from: each is a way to the gateway. */
export interface GatewayScope {
  open(providerKey: string): ChatProvider;
}

// One per process, even if a bundle should hold a second copy of this module.
const KEY = Symbol.for("agent-evaluator.gateway-scope");
const store = globalThis as { [KEY]?: AsyncLocalStorage<GatewayScope> };

function storage(): AsyncLocalStorage<GatewayScope> {
  store[KEY] ??= new AsyncLocalStorage();
  return store[KEY];
}

/** Whatever `work` starts belongs to this scope, also when several runs share the process. */
export const withGateway = <T>(scope: GatewayScope, work: () => T): T => storage().run(scope, work);

/** The scope of the run that asks; null outside of runs. */
export const currentGateway = (): GatewayScope | null => storage().getStore() ?? null;
