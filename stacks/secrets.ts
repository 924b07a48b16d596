import { API_TOKEN_SECRET, secretName, UNSET_SECRET } from "agent-evaluator/cloud";
import { deployment } from "./code.ts";

/** Set by whoever deploys: without it there is no API. */
export const apiToken = new sst.Secret(API_TOKEN_SECRET);

/** For the runner alone. One key is enough to deploy: the others stay unset. */
export const runnerSecrets = deployment.variables.map(
  (variable) => new sst.Secret(secretName(variable), UNSET_SECRET),
);

/** Those of its variables that somebody has set: their names, so that others know what it lacks without its keys. */
export const runnerVariables = $util
  .all(runnerSecrets.map(({ value }) => value))
  .apply((values) => deployment.variables.filter((_, place) => values[place] !== UNSET_SECRET).join(","));
