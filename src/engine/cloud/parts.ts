import type { Clock } from "../../domain/clock.ts";
import type { RunnerSize } from "../../domain/cloud/limits.ts";
import { secretName } from "../../domain/cloud/settings.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { findMissing, type MissingVariables } from "../../providers/built-in.ts";
import type { Store } from "../../store/store.ts";
import type { EvaluationOptions } from "../definition/definition.ts";
import type { Definition } from "../definition/read-definition.ts";
import type { Executions } from "./executions.ts";

/** What an engine in an AWS account works with. */
export interface CloudParts {
  readonly store: Store;
  readonly executions: Executions;
  /** Opened when they are first asked for. */
  readonly definitions: () => Promise<DeployedDefinitions>;
  /** No run may need more. */
  readonly runner: RunnerMeans;
  readonly clock: Clock;
  readonly random: () => number;
}

/** The record of an evaluation that must be there. */
export async function storedRecord(
  store: Pick<Store, "findEvaluation">,
  id: EvaluationId,
): Promise<EvaluationRecord> {
  const record = await store.findEvaluation(id);
  if (record !== null) return record;
  throw new EvaluatorError("evaluation.unknown", `there is no evaluation ${id} in this store`);
}

/** The definitions that were deployed with a function. */
export interface DeployedDefinitions {
  readonly names: readonly string[];
  /** One of another name is `definition.unknown`. */
  load(name: string): Promise<DeployedDefinition>;
}

interface DeployedDefinition {
  readonly options: EvaluationOptions;
  readonly bundle: { readonly fingerprint: string };
}

export const readAll = async ({ names, load }: DeployedDefinitions): Promise<readonly EvaluationOptions[]> =>
  (await Promise.all(names.map(load))).map(({ options }) => options);

/** What the deployed runner has, as far as others may know it: of its keys only which there are. */
export interface RunnerMeans extends RunnerSize {
  /** The variables that have a value. */
  readonly variables: readonly string[];
  readonly callsBedrock: boolean;
}

/** Throws unless the runner can call every model; a `providerFactory` of the user's own knows by itself what it needs. */
export function checkModels({ models, providerFactory }: Definition, runner: RunnerMeans): void {
  if (providerFactory !== undefined) return;
  const keys = models.map(({ providerKey }) => providerKey);
  const variables = Object.fromEntries(runner.variables.map((name) => [name, "set"]));
  const lines = [
    ...(keys.includes("bedrock") && !runner.callsBedrock ? [NO_BEDROCK] : []),
    ...findMissing(keys, variables).map(explain),
  ];
  if (lines.length === 0) return;
  throw new EvaluatorError(
    "provider.not_deployed",
    `this deployment cannot call all of these models:\n${lines.map((line) => `  ${line}`).join("\n")}`,
  );
}

const NO_BEDROCK =
  "bedrock: the runner may call it once the `models` of a deployed definition name it; add it there and deploy again";

/** The server behind a name of the user's own is known to a deployment whose definitions name it. */
function explain({ key, names }: MissingVariables): string {
  const secrets = names.map((variables) => variables.split(" or ").map(secretName).join(" or "));
  const first = key.includes(":") ? "name it in the `models` of a deployed definition, " : "";
  return `${key}: ${first}set the secret ${secrets.join(" and ")} with npx sst secret set, and deploy again`;
}
