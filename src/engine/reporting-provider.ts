import type { RunLink } from "../isolation/task-server.ts";
import type { ChatProvider } from "../providers/contract.ts";

/** A user's own provider runs in the run's process; what its replies say they used is reported from there. */
export function reportingProvider(provider: ChatProvider, link: Pick<RunLink, "usage">): ChatProvider {
  return {
    async generate(request, options) {
      const reply = await provider.generate(request, options);
      if (reply.usage) link.usage(reply.usage);
      return reply;
    },
  };
}
