import * as z from "zod";
import {
  type StartSettings,
  type StorageSettings,
  secretName,
  UNSET_SECRET,
} from "../domain/cloud/settings.ts";
import { EvaluatorError } from "../domain/errors.ts";
import { cloudEngine } from "../engine/cloud/cloud-engine.ts";
import { openExecutions } from "../engine/cloud/executions.ts";
import type { Engine } from "../engine/engine.ts";
import { inPackage } from "../local/own-files.ts";
import { dynamoClient, s3Client } from "../store/dynamo/aws.ts";
import { dynamoStore } from "../store/dynamo/dynamo-store.ts";
import type { Store } from "../store/store.ts";
import { systemClock } from "../system/clock.ts";
import { MadeOnce, type OpenDefinitions, openDefinitions } from "./definitions.ts";

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
      diskMb: settings.RUNNER_DISK_MB,
      timeoutSeconds: settings.RUNNER_TIMEOUT_SECONDS,
      variables: settings.RUNNER_VARIABLES,
      callsBedrock: settings.RUNNER_CALLS_BEDROCK,
    },
    clock: systemClock,
    random: Math.random,
  });
}

/** The store of a deployment, with the role of the function that asks. */
export const deployedStore = ({ TABLE_NAME, BODY_BUCKET }: StorageSettings): Store =>
  dynamoStore({ dynamo: dynamoClient(), table: TABLE_NAME, s3: s3Client(), bucket: BODY_BUCKET });

const Linked = z.object({ value: z.string() });

/** The value of a linked secret; null when it is not linked, or nobody has set it. */
function linkedSecret(name: string, resources: object): string | null {
  const found = Linked.safeParse((resources as Record<string, unknown>)[name]);
  return found.success && found.data.value !== UNSET_SECRET ? found.data.value : null;
}

export function neededSecret(name: string, resources: object): string {
  const value = linkedSecret(name, resources);
  if (value !== null) return value;
  throw new EvaluatorError(
    "deployment.no_secret",
    `the secret ${name} is not set; set it with: npx sst secret set ${name} <value>`,
  );
}

/** The variables that linked secrets stand for; those that nobody has set are not there. */
export const linkedVariables = (names: readonly string[], resources: object): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = linkedSecret(secretName(name), resources);
      return value === null ? [] : [[name, value]];
    }),
  );
