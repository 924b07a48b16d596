import type { CheckContext } from "../checkers/contract.ts";
import type { CheckTask } from "../isolation/contract.ts";
import type { CallLink } from "../isolation/task-server.ts";
import type { ChatProvider } from "../providers/contract.ts";
import { readUsage } from "./read-usage.ts";

/** What a checker learns of the run it judges. */
export const checkContext = (
  { problem, problemId, providerKey, model, trial, tags, transcript }: CheckTask,
  link: CallLink,
  open: (providerKey: string) => Promise<ChatProvider>,
): CheckContext => ({
  ...{ signal: link.signal, problem, problemId, providerKey, model, trial, tags, transcript },
  provider: (key) => lazyProvider(() => open(key)),
  reportUsage: (usage, called) => link.usage(readUsage(usage), called),
});

/** A provider that is opened with its first call; a factory of the user's own may take its time. */
function lazyProvider(open: () => Promise<ChatProvider>): ChatProvider {
  let opened: Promise<ChatProvider> | undefined;
  return {
    async generate(request, options) {
      opened ??= open();
      return (await opened).generate(request, options);
    },
  };
}
