import { AsyncLocalStorage } from "node:async_hooks";
import type { Json } from "../domain/json.ts";
import { knownUsage } from "../domain/run/amounts.ts";
import type { CallLink } from "../isolation/isolation.ts";
import type { ChatProvider, ChatReply, ChatRequest } from "../providers/provider.ts";

/**
 * The providers that come with the evaluator, for a `providerFactory` that wraps them. In a run the provider leads to
 * the gateway, which holds the key; anywhere else it calls the model itself, with the keys of the environment.
 */
export async function defaultProviderFactory(providerKey: string): Promise<ChatProvider> {
  const gateway = scopes.getStore();
  if (gateway !== undefined) return gateway.open(providerKey);
  // Imported here, so that a run's process never loads an SDK.
  const { builtInProviders } = await import("../providers/built-in.ts");
  const { systemClock } = await import("../system/clock.ts");
  return builtInProviders({ clock: systemClock, scripts: {} })(providerKey);
}

/** The call that is under way, and whether the gateway has counted it. */
const counted = new AsyncLocalStorage<{ byGateway: boolean }>();

/** A user's own provider runs in the run's process; what its replies say they used is reported from there. */
export function reportingProvider(
  providerKey: string,
  provider: ChatProvider,
  link: Pick<CallLink, "usage">,
): ChatProvider {
  return {
    async generate(request, options) {
      const call = { byGateway: false };
      const reply = await counted.run(call, async () => provider.generate(request, options));
      const usage = call.byGateway ? null : knownUsage(reply.usage);
      if (usage !== null) link.usage(usage, { providerKey, model: request.model });
      return reply;
    },
  };
}

/** A provider that leads to the gateway; one of the user's own that wraps it reports nothing on top. */
export function countedProvider(provider: ChatProvider): ChatProvider {
  return {
    ...provider,
    generate(request, options) {
      const call = counted.getStore();
      if (call !== undefined) call.byGateway = true;
      return provider.generate(request, options);
    },
  };
}

/** Opens providers for code that belongs to a run: each leads to the gateway. */
export interface GatewayScope {
  open(providerKey: string): ChatProvider;
}

// One per process, even if a bundle should hold a second copy of this module.
const KEY = Symbol.for("agent-evaluator.gateway-scope");
const store = globalThis as { [KEY]?: AsyncLocalStorage<GatewayScope> };
store[KEY] ??= new AsyncLocalStorage();
const scopes = store[KEY];

/** Runs `work` within a scope: all that it starts belongs to it, also when several runs share the process. */
export const withGateway = <T>(scope: GatewayScope, work: () => T): T => scopes.run(scope, work);

/** Makes the provider of a run's process: it sends requests to the gateway, which holds the key. */
export function proxyProvider(
  providerKey: string,
  send: CallLink["call"],
  runSignal: AbortSignal,
): ChatProvider {
  return {
    async generate(request: ChatRequest, options): Promise<ChatReply> {
      const signal = options?.signal ? AbortSignal.any([options.signal, runSignal]) : runSignal;
      signal.throwIfAborted();
      const answer = await send(providerKey, request as Json, signal);
      if (answer.kind === "failed") throw new ModelCallError(answer.code, answer.message);
      // The gateway made this reply and checked it.
      return answer.reply as unknown as ChatReply;
    },
  };
}

/** A model call that failed for good, as the agent sees it. */
export class ModelCallError extends Error {
  override readonly name = "ModelCallError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
