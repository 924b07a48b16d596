import type { StartSettings } from "./domain/cloud-settings.ts";
import { MadeOnce } from "./domain/made-once.ts";
import { cloudEngine } from "./engine/cloud/cloud-engine.ts";
import { openExecutions } from "./engine/cloud/lambda-executions.ts";
import type { Engine } from "./engine/contract.ts";
import { systemClock } from "./engine/system-clock.ts";
import { type OpenDefinitions, openDefinitions } from "./open-definitions.ts";
import { inPackage } from "./own-files.ts";
import type { Store } from "./store/contract.ts";

/** The engine of a deployment; its definitions are loaded when they are first asked for. */
export function deployedEngine(store: Store, settings: StartSettings): Engine {
  const opened = new MadeOnce<OpenDefinitions>();
  return cloudEngine({
    store,
    executions: openExecutions(settings.ORCHESTRATOR_WORKFLOW),
    definitions: () =>
      opened.get(settings.DEFINITIONS, () => openDefinitions(inPackage(settings.DEFINITIONS))),
    runner: {
      memoryMb: settings.RUNNER_MEMORY_MB,
      timeoutSeconds: settings.RUNNER_TIMEOUT_SECONDS,
      variables: settings.RUNNER_VARIABLES,
      callsBedrock: settings.RUNNER_CALLS_BEDROCK,
    },
    clock: systemClock,
    random: Math.random,
  });
}
