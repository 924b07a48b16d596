import { showPath } from "../bundle/places.ts";
import { EvaluatorError } from "../domain/errors.ts";
import { checkOptions } from "../engine/definition/read-definition.ts";
import { type LoadedDefinition, loadDefinition } from "../local/load-definition.ts";

export interface ListedDefinition extends LoadedDefinition {
  readonly name: string;
  readonly file: string;
}

/** The definitions that the default export of a file lists, each from the file that it is written in. */
export async function listDefinitions(index: string): Promise<readonly ListedDefinition[]> {
  const { options, bundle } = await loadDefinition(index);
  const listed: readonly unknown[] = Array.isArray(options) ? options : [];
  if (listed.length === 0) {
    throw invalid(index, "its default export is no list of definitions; write `export default [first]`");
  }
  const names = listed.map(nameOf);
  const written = await Promise.all(bundle.inputs.filter(isEvaluationFile).map(loadFrom));
  return names.map((name) => {
    const found = written.find((definition) => definition.name === name);
    if (found !== undefined) return found;
    throw invalid(
      index,
      `"${name}" is not the default export of an .eval.ts file that it imports; make it one`,
    );
  });
}

const isEvaluationFile = (file: string): boolean => /\.eval\.[cm]?[jt]sx?$/.test(file);

async function loadFrom(file: string): Promise<ListedDefinition> {
  const loaded = await loadDefinition(file);
  return { ...loaded, file, name: nameOf(loaded.options) };
}

const nameOf = (options: unknown): string => checkOptions(Object(options)).name;

const invalid = (index: string, why: string) =>
  new EvaluatorError("definitions.invalid", `${showPath(index)}: ${why}`);
