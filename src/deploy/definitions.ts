import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { openPackedBundle, PackedBundle } from "../bundle/bundle.ts";
import { EvaluatorError } from "../domain/errors.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import type { LoadedDefinition } from "../local/load-definition.ts";
import { sha256 } from "../system/digest.ts";

/** The list of what a package holds, from where the package begins. */
export const PACKED_INDEX = "definitions/index.json";

export const PackedDefinitions = z.object({
  v: z.literal(1),
  definitions: z.array(z.object({ name: z.string(), fingerprint: z.string(), bundle: PackedBundle })),
});
export type PackedDefinitions = z.infer<typeof PackedDefinitions>;

export interface OpenDefinitions {
  readonly names: readonly string[];
  /** Hash of the code of all of them. */
  readonly fingerprint: string;
  load(name: string): Promise<LoadedDefinition>;
}

/** The definitions of a deployed function; `place` is the packed folder or, on a laptop, the file that lists them. */
export async function openDefinitions(place: string): Promise<OpenDefinitions> {
  const isFolder = (await stat(place)).isDirectory();
  return isFolder ? openPacked(dirname(place)) : openListed(place);
}

async function openPacked(root: string): Promise<OpenDefinitions> {
  const { definitions } = PackedDefinitions.parse(
    JSON.parse(await readFile(join(root, PACKED_INDEX), "utf8")),
  );
  return open(definitions, async ({ fingerprint, bundle: packed }) => {
    const bundle = openPackedBundle(root, fingerprint, packed);
    const { user } = (await import(pathToFileURL(bundle.file).href)) as {
      user: { default: EvaluationOptions };
    };
    return { options: user.default, bundle };
  });
}

async function openListed(index: string): Promise<OpenDefinitions> {
  // A package is opened without what builds bundles, which is not part of it.
  const { listDefinitions } = await import("./pack-definitions.ts");
  const listed = await listDefinitions(index);
  return open(
    listed.map((definition) => ({ ...definition, fingerprint: definition.bundle.fingerprint })),
    async ({ options, bundle }) => ({ options, bundle }),
  );
}

interface Named {
  readonly name: string;
  readonly fingerprint: string;
}

function open<Item extends Named>(
  items: readonly Item[],
  load: (item: Item) => Promise<LoadedDefinition>,
): OpenDefinitions {
  const names = items.map(({ name }) => name);
  const loaded = new MadeOnce<LoadedDefinition>();
  return {
    names,
    fingerprint: sha256(items.map(({ fingerprint }) => fingerprint).join()),
    load: async (name) => {
      const item = items.find((known) => known.name === name);
      if (item === undefined) throw unknown(name, names);
      return loaded.get(name, () => load(item));
    },
  };
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
