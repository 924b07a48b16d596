import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type Deployment, isSchedule } from "../domain/cloud/deployment.ts";
import {
  cloudLimitTroubles,
  LARGEST_RUNNER,
  RunnerOptions,
  runnerDiskMb,
  runnerMemoryMb,
} from "../domain/cloud/limits.ts";
import { API_TOKEN_SECRET, secretName } from "../domain/cloud/settings.ts";
import { checkOptions } from "../engine/definition/read-definition.ts";
import { loadFile } from "../local/load-definition.ts";
import { findProvider, PROVIDER_TABLE } from "../providers/table.ts";
import { packListed, readList, undeployable } from "./pack-definitions.ts";

type Checked = ReturnType<typeof checkOptions>;

/** Reads the definitions that a file lists in its default export, and refuses what cannot be deployed. */
export async function describeDeployment(file: string): Promise<Deployment> {
  const { user } = await loadFile(file);
  const definitions = readList(file, user.default).map(checkOptions);
  const runner = sizeRunner(readRunner(file, user.runner), definitions);
  const variables = variablesOf(definitions);
  const alarmVariables = alarmVariablesOf(definitions);
  const troubles = [
    ...repeated(definitions.map(({ name }) => name)).map((name) => `the name "${name}" is given twice`),
    ...definitions.flatMap(({ name, limits }) =>
      cloudLimitTroubles(limits, runner).map((trouble) => `${name}: ${trouble}`),
    ),
    ...unkeepable([...new Set([...variables, ...alarmVariables])]),
  ];
  if (troubles.length > 0) throw undeployable(file, troubles);
  return {
    definitions: definitions.map(({ name, schedule = "" }) => ({
      name,
      schedule: isSchedule(schedule) ? schedule : null,
    })),
    variables,
    alarmVariables,
    runner,
    usesBedrock: providerKeys(definitions).includes("bedrock"),
    packages: await compiledPackages(file),
  };
}

function readRunner(file: string, runner: unknown): RunnerOptions {
  const read = RunnerOptions.safeParse(runner ?? {});
  if (read.success) return read.data;
  const where = (path: readonly PropertyKey[]) => ["runner", ...path.map(String)].join(".");
  throw undeployable(
    file,
    read.error.issues.map(({ path, message }) => `${where(path)}: ${message}`),
  );
}

/** As large as its definitions need it, unless the project says otherwise. */
function sizeRunner(given: RunnerOptions, definitions: readonly Checked[]): Deployment["runner"] {
  const runs = definitions.map(({ limits }) => limits);
  return {
    memoryMb: given.memoryMb ?? Math.min(LARGEST_RUNNER.memoryMb, runnerMemoryMb(runs)),
    diskMb: given.diskMb ?? Math.min(LARGEST_RUNNER.diskMb, runnerDiskMb(runs)),
    timeoutSeconds: given.timeoutSeconds ?? LARGEST_RUNNER.timeoutSeconds,
    tenantIsolation: given.tenantIsolation ?? "per-model",
  };
}

/** What no bundle can hold, with the versions that are installed here. */
async function compiledPackages(file: string): Promise<Readonly<Record<string, string>>> {
  const packings = await packListed(file);
  const folders = new Set(packings.flatMap(({ packing }) => packing.compiled));
  return Object.fromEntries(
    Array.from(folders, (folder) => {
      const { name, version } = PackageJson.parse(
        JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
      );
      return [name, version];
    }),
  );
}

const PackageJson = z.object({ name: z.string(), version: z.string() });

const providerKeys = (definitions: readonly Checked[]): string[] =>
  definitions.flatMap(({ models }) => models.map(({ providerKey }) => providerKey));

/** Every key of a built-in provider, because a request may name other models than its definition. */
function variablesOf(definitions: readonly Checked[]): string[] {
  const named = providerKeys(definitions).flatMap((key) => {
    const found = findProvider(key);
    if (found === null || found.settings.name === null) return [];
    const { apiKey, baseUrl } = found.variables;
    const isAsked = found.entry.named === "always" && !hasOwnUrl(definitions, key);
    return isAsked ? [...apiKey, baseUrl] : apiKey;
  });
  const own = Object.values(PROVIDER_TABLE)
    .filter((entry) => entry.named !== "always")
    .flatMap((entry) => entry.variables(null).apiKey);
  return [...new Set([...own, ...named, ...definitions.flatMap(({ env }) => env)])].toSorted();
}

const hasOwnUrl = (definitions: readonly Checked[], key: string): boolean =>
  definitions.every(
    ({ models, modelOptions }) =>
      models.every(({ providerKey }) => providerKey !== key) || modelOptions[key]?.baseUrl !== undefined,
  );

const alarmVariablesOf = (definitions: readonly Checked[]): string[] =>
  [...new Set(definitions.flatMap(({ drift }) => drift?.webhook ?? []))].toSorted();

/** Two variables may not share a secret, and none may take the API's. */
function unkeepable(variables: readonly string[]): string[] {
  const names = [API_TOKEN_SECRET, ...variables.map(secretName)];
  return repeated(names).map((name) => {
    const sharers = variables.filter((variable) => secretName(variable) === name);
    return `the secret ${name} cannot stand for ${sharers.join(" and ")}${sharers.length > 1 ? " at once" : ""}; rename ${sharers.length > 1 ? "one of them" : "it"}`;
  });
}

const repeated = (names: readonly string[]): string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];
