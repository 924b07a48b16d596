import type { CloudSettings } from "./domain/cloud-settings.ts";
import { MadeOnce } from "./domain/made-once.ts";
import { cloudEngine } from "./engine/cloud/cloud-engine.ts";
import { openExecutions } from "./engine/cloud/lambda-executions.ts";
import type { Engine } from "./engine/contract.ts";
import { systemClock } from "./engine/system-clock.ts";
import { type OpenDefinitions, openDefinitions } from "./open-definitions.ts";
import { inPackage } from "./own-files.ts";
import type { Store } from "./store/contract.ts";

type Needed = Pick<CloudSettings, "DEFINITIONS" | "ORCHESTRATOR_WORKFLOW" | "RUNNER_MEMORY_MB">;

/** The engine of a deployment; its definitions are loaded when they are first asked for. */
export function deployedEngine(store: Store, settings: Needed): Engine {
  const opened = new MadeOnce<OpenDefinitions>();
  return cloudEngine({
    store,
    executions: openExecutions(settings.ORCHESTRATOR_WORKFLOW),
    definitions: () =>
      opened.get(settings.DEFINITIONS, () => openDefinitions(inPackage(settings.DEFINITIONS))),
    runnerMemoryMb: settings.RUNNER_MEMORY_MB,
    clock: systemClock,
    random: Math.random,
  });
}
