import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { openPackedBundle, PackedBundle } from "../bundle/bundle.ts";
import { EvaluatorError } from "../domain/errors.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import { SentDefinition } from "../isolation/isolation.ts";
import type { LoadedDefinition } from "../local/load-definition.ts";
import { reviveOptions } from "../local/revive-options.ts";

/** The list of what a package holds, from where the package begins. */
export const PACKED_INDEX = "definitions/index.json";

export const PackedDefinitions = z.object({
  v: z.literal(1),
  definitions: z.array(
    z.object({ name: z.string(), fingerprint: z.string(), bundle: PackedBundle, about: SentDefinition }),
  ),
});
export type PackedDefinitions = z.infer<typeof PackedDefinitions>;

export interface OpenDefinitions {
  readonly names: readonly string[];
  /** Loads a definition, with its problems, into this process. */
  load(name: string): Promise<LoadedDefinition>;
  /** Gives what is known of a definition without loading it where the account's keys are; its problems are not part of it. */
  describe(name: string): Promise<LoadedDefinition>;
}

/** Opens the definitions of a deployed function; `place` is the packed folder or, on a laptop, the file that lists them. */
export async function openDefinitions(place: string): Promise<OpenDefinitions> {
  const isFolder = (await stat(place)).isDirectory();
  const found = isFolder ? await findPacked(dirname(place)) : await findListed(place);
  const names = found.map(({ name }) => name);
  const loaded = new MadeOnce<LoadedDefinition>();
  const find = (name: string): FoundDefinition => {
    const definition = found.find((known) => known.name === name);
    if (definition === undefined) throw unknown(name, names);
    return definition;
  };
  return {
    names,
    load: async (name) => loaded.get(name, find(name).load),
    describe: async (name) => find(name).describe(),
  };
}

interface FoundDefinition {
  readonly name: string;
  load(): Promise<LoadedDefinition>;
  describe(): Promise<LoadedDefinition>;
}

async function findPacked(root: string): Promise<FoundDefinition[]> {
  const { definitions } = PackedDefinitions.parse(
    JSON.parse(await readFile(join(root, PACKED_INDEX), "utf8")),
  );
  return definitions.map(({ name, fingerprint, bundle: packed, about }) => ({
    name,
    describe: async () => ({
      options: { ...reviveOptions(about), problems: [] },
      bundle: openPackedBundle(root, fingerprint, packed),
    }),
    load: async () => {
      const bundle = openPackedBundle(root, fingerprint, packed);
      const { user } = (await import(pathToFileURL(bundle.file).href)) as {
        user: { default: EvaluationOptions };
      };
      return { options: user.default, bundle };
    },
  }));
}

async function findListed(index: string): Promise<FoundDefinition[]> {
  // A package is opened without what builds bundles, which is not part of it.
  const { listDefinitions } = await import("./pack-definitions.ts");
  const listed = await listDefinitions(index);
  return listed.map(({ name, ...loaded }) => {
    const load = async () => loaded;
    return { name, load, describe: load };
  });
}

const unknown = (name: string, names: readonly string[]) =>
  new EvaluatorError(
    "definition.unknown",
    `there is no definition "${name}"; deployed are ${names.join(", ") || "none"}`,
  );

/** Each value is made once; one that could not be made is made again when it is next asked for. */
export class MadeOnce<Value> {
  readonly #made = new Map<string, Promise<Value>>();

  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.#made.set(key, made);
    made.catch(() => this.#made.delete(key));
    return made;
  }
}
