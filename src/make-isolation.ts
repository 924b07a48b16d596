import type { Definition } from "./engine/read-definition.ts";
import type { Redaction } from "./engine/redaction.ts";
import { serveTasks } from "./engine/serve-tasks.ts";
import type { DefinitionBundle } from "./isolation/bundle.ts";
import type { Isolation } from "./isolation/contract.ts";
import { InProcessIsolation } from "./isolation/in-process.ts";
import { ProcessIsolation } from "./isolation/process-isolation.ts";
import { CHILD_FLAG } from "./isolation/reentry.ts";
import { reaperFile } from "./own-files.ts";
import type { HttpGateway } from "./providers/http-gateway.ts";

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
