import { AsyncLocalStorage } from "node:async_hooks";
import { knownUsage } from "../domain/known-usage.ts";
import type { CallLink } from "../isolation/task-server.ts";
import type { ChatProvider } from "../providers/contract.ts";

/** Whether the gateway has counted the call that is under way. */
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
