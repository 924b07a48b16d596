import { cloudLimitTroubles, type RunnerSize } from "../../domain/cloud/limits.ts";
import { secretName } from "../../domain/cloud/settings.ts";
import { type ErrorCode, EvaluatorError } from "../../domain/errors.ts";
import { countShards } from "../../domain/plan.ts";
import { holdsKey } from "../../domain/redact.ts";
import { findMissing, type MissingVariables } from "../../providers/built-in.ts";
import { withBaseUrls } from "../../providers/model-options.ts";
import type { Definition } from "../definition/read-definition.ts";
import type { StartRequest } from "../engine.ts";
import { MAX_SHARDS } from "./retry-rules.ts";

/** Means of the deployed runner, as far as others may know them: of its keys only which there are. */
export interface RunnerMeans extends RunnerSize {
  /** The variables that have a value. */
  readonly variables: readonly string[];
  readonly callsBedrock: boolean;
}

/** For the API, and whatever wakes up of an execution: it is never more than one function for long. */
const OWN_PLACES = 2;

/** Refuses what cannot be run in the cloud, with all the reasons; `places` is how many functions may run at once. */
export function admitEvaluation(
  definition: Definition,
  request: Pick<StartRequest, "problems" | "tags">,
  runner: RunnerMeans,
  places: number | null,
): void {
  const { name, limits, problems, concurrency } = definition;
  const most = places === null ? concurrency : Math.max(1, places - OWN_PLACES);
  const shards = countShards({ ...definition, problemCount: problems.length });
  const troubles = [
    ...cloudLimitTroubles(limits, runner),
    ...(concurrency > most
      ? [
          `concurrency is ${concurrency}, but this account can run only ${places} functions at once in this region, and other functions need ${OWN_PLACES} of them; set it to at most ${most}, or ask AWS for more (Service Quotas: Lambda, concurrent executions)`,
        ]
      : []),
    ...(shards > MAX_SHARDS
      ? [`it has ${shards} shards of runs, and one execution can hold at most ${MAX_SHARDS}`]
      : []),
  ];
  refuseUncallable(definition, runner);
  if (troubles.length > 0)
    throw new EvaluatorError("evaluation.too_large", `${name} cannot run here: ${troubles.join("; ")}`);
  // Stored as they come: the function that stores them has no keys to compare them with.
  refuseKey("problem.holds_key", "problems", request.problems);
  refuseKey("tag.holds_key", "tags", request.tags);
}

function refuseKey(code: ErrorCode, list: string, items: readonly unknown[] = []): void {
  const place = items.findIndex(holdsKey);
  if (place === -1) return;
  throw new EvaluatorError(
    code,
    `${list}[${place}] contains what looks like an API key, which would be stored with the evaluation; remove it, and if it is a real key, revoke it at its provider`,
  );
}

/** A `providerFactory` of the user's own knows by itself what it needs. */
function refuseUncallable({ models, modelOptions, providerFactory }: Definition, runner: RunnerMeans): void {
  if (providerFactory !== undefined) return;
  const keys = models.map(({ providerKey }) => providerKey);
  const set = Object.fromEntries(runner.variables.map((name) => [name, "set"]));
  const variables = withBaseUrls(modelOptions, set);
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
  "bedrock: the runner may only call models that the `models` of a deployed definition name; add it there and deploy again";

/** The server behind a name of the user's own is known to a deployment whose definitions name it. */
function explain({ key, names }: MissingVariables): string {
  const secrets = names.map((variables) => variables.split(" or ").map(secretName).join(" or "));
  const first = key.includes(":") ? "name it in the `models` of a deployed definition, " : "";
  return `${key}: ${first}set the secret ${secrets.join(" and ")} with npx sst secret set, and deploy again`;
}
