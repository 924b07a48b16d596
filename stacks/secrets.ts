import { API_TOKEN_SECRET, secretName, UNSET_SECRET } from "agent-evaluator/cloud";
import { deployment } from "./code.ts";

/** Set by whoever deploys: without it there is no API. */
export const apiToken = new sst.Secret(API_TOKEN_SECRET);

/** One key is enough to deploy: the others stay unset. */
const secretOf = new Map(
  [...new Set([...deployment.variables, ...deployment.alarmVariables])].map((variable) => [
    variable,
    new sst.Secret(secretName(variable), UNSET_SECRET),
  ]),
);
const secretsOf = (variables: readonly string[]) => variables.flatMap((name) => secretOf.get(name) ?? []);

/** Secrets of the runner only. */
export const runnerSecrets = secretsOf(deployment.variables);

/** Secrets of the aggregator, which reports evaluations that got worse. */
export const alarmSecrets = secretsOf(deployment.alarmVariables);

/** Those of its variables that somebody has set: their names, so that others know what it lacks without its keys. */
export const runnerVariables = $util
  .all(runnerSecrets.map(({ value }) => value))
  .apply((values) => deployment.variables.filter((_, place) => values[place] !== UNSET_SECRET).join(","));
