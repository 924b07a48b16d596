import { cp, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { buildFile } from "../bundle/esbuild-options.ts";
import { type Packing, packBundle } from "../bundle/pack.ts";
import { showPath } from "../bundle/places.ts";
import { DefinitionSource } from "../child/send-definition.ts";
import { EvaluatorError } from "../domain/errors.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import { checkOptions } from "../engine/definition/read-definition.ts";
import type { SentDefinition } from "../isolation/isolation.ts";
import { type LoadedDefinition, loadDefinition } from "../local/load-definition.ts";
import { childModule, reaperFile } from "../local/own-files.ts";
import { PACKED_INDEX, type PackedDefinitions } from "./definitions.ts";

/** Where Lambda unpacks a function's code. */
const TASK_ROOT = "/var/task";

/**
 * Puts definitions into the folder of a function: their bundles, the files beside them, and our own programs that
 * run in processes of their own.
 */
export async function packDefinitions(index: string, folder: string, place = TASK_ROOT): Promise<void> {
  const listed = await packListed(index, place);
  for (const { packing } of listed) {
    for (const [path, text] of packing.files) await write(join(folder, path), text);
  }
  for (const home of new Set(listed.map(({ definition }) => dirname(definition.file)))) {
    const root = listed[0]?.packing.root ?? home;
    await cp(home, join(folder, relative(root, home)), { recursive: true, filter: mayBeDeployed });
  }
  await write(join(folder, "isolation/reaper.js"), await buildFile({ entryPoints: [reaperFile()] }));
  await write(join(folder, PACKED_INDEX), JSON.stringify(describe(listed, place)));
}

interface PackedListed {
  readonly definition: ListedDefinition;
  readonly packing: Packing;
}

export async function packListed(index: string, place = TASK_ROOT): Promise<readonly PackedListed[]> {
  const definitions = await listDefinitions(index);
  return Promise.all(
    definitions.map(async (definition) => ({
      definition,
      packing: await packBundle(definition.file, { childModule: childModule(), place }),
    })),
  );
}

const describe = (listed: readonly PackedListed[], place: string): PackedDefinitions => ({
  v: 1,
  definitions: listed.map(({ definition, packing }) => ({
    name: definition.name,
    fingerprint: definition.bundle.fingerprint,
    bundle: packing.about,
    about: aboutDefinition(definition.options, packing.root, place),
  })),
});

/** The definition's data where it will be; its problems stay in its bundle, for whoever starts it. */
function aboutDefinition(given: EvaluationOptions, root: string, place: string): SentDefinition {
  const { options, ...rest } = new DefinitionSource(given).describe();
  const text = JSON.stringify(options, (_key, value) =>
    typeof value === "string" ? value.replaceAll(root, place) : value,
  );
  return { ...rest, options: JSON.parse(text), problems: null };
}

/** Packages are bundled, and what begins with a dot is left out: keys may lie there. */
function mayBeDeployed(path: string): boolean {
  const name = basename(path);
  return name !== "node_modules" && !name.startsWith(".");
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

interface ListedDefinition extends LoadedDefinition {
  readonly name: string;
  readonly file: string;
}

/** The definitions that the default export of a file lists, each from the file that it is written in. */
export async function listDefinitions(index: string): Promise<readonly ListedDefinition[]> {
  const { options, bundle } = await loadDefinition(index);
  const names = readList(index, options).map(nameOf);
  const written = await Promise.all(bundle.inputs.filter(isEvaluationFile).map(loadFrom));
  return names.map((name) => {
    const found = written.find((definition) => definition.name === name);
    if (found !== undefined) return found;
    throw undeployable(index, [
      `"${name}" is not the default export of an .eval.ts file that it imports; make it one`,
    ]);
  });
}

export function readList(file: string, list: unknown): readonly EvaluationOptions[] {
  if (Array.isArray(list) && list.length > 0) return list;
  throw undeployable(file, [
    "its default export is not a list of definitions; write `export default [first]`",
  ]);
}

const isEvaluationFile = (file: string): boolean => /\.eval\.[cm]?[jt]sx?$/.test(file);

async function loadFrom(file: string): Promise<ListedDefinition> {
  const loaded = await loadDefinition(file);
  return { ...loaded, file, name: nameOf(loaded.options) };
}

const nameOf = (options: EvaluationOptions): string => checkOptions(Object(options)).name;

/** Refuses a deployment, with all reasons. */
export const undeployable = (file: string, troubles: readonly string[]) =>
  new EvaluatorError(
    "deployment.invalid",
    `${showPath(file)} cannot be deployed:\n${troubles.map((trouble) => `  ${trouble}`).join("\n")}`,
  );
