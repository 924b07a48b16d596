import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { bundleDefinition } from "../bundle/build-bundle.ts";
import type { DefinitionBundle } from "../bundle/bundle.ts";
import { type OtherVersion, showPath } from "../bundle/places.ts";
import { loadWithoutEvaluating } from "../child/reentry.ts";
import { placeProblems } from "../datasets/datasets.ts";
import { EvaluatorError } from "../domain/errors.ts";
import type { OtherCommit } from "../domain/evaluation.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";
import { childModule } from "./own-files.ts";

export interface LoadedDefinition {
  readonly options: EvaluationOptions;
  readonly bundle: DefinitionBundle;
  /** The commit whose version of the file is in it too. */
  readonly against?: OtherCommit | undefined;
}

/** Bundles an evaluation file and loads the definition that is its default export; `again` evaluates the same code anew. */
export async function loadDefinition(
  file: string,
  again = 0,
  other?: OtherVersion,
): Promise<LoadedDefinition> {
  const { bundle, user } = await loadFile(file, again, other);
  const { default: options } = user;
  if (typeof options !== "object" || options === null) throw noDefault(file);
  placeProblems(Reflect.get(options, "problems"), dirname(file));
  return { options: options as EvaluationOptions, bundle };
}

export const noDefault = (file: string): EvaluatorError =>
  new EvaluatorError(
    "definition.no_default",
    `${showPath(file)} has no evaluation as its default export; write \`export default defineEvaluation({ … })\``,
  );

export const scriptRefusal = (file: string): EvaluatorError =>
  new EvaluatorError(
    "definition.script",
    `${showPath(file)} is a script that runs its own evaluation; start it with node ${showPath(file)}`,
  );

export const threwWhileLoading = (file: string, stack: string, cause?: unknown): EvaluatorError =>
  new EvaluatorError("definition.threw", `${showPath(file)} threw while it was loaded:\n${stack}`, { cause });

interface LoadedFile {
  readonly bundle: DefinitionBundle;
  /** All that the file exports. */
  readonly user: Readonly<Record<string, unknown>>;
}

export async function loadFile(file: string, again = 0, other?: OtherVersion): Promise<LoadedFile> {
  const bundle = await bundleDefinition(file, { childModule: childModule(), other });
  // The address alone makes a module anew, but not a script.
  if (again > 0) delete createRequire(bundle.file).cache[bundle.file];
  const refusal = scriptRefusal(file);
  try {
    const load = () =>
      import(`${pathToFileURL(bundle.file).href}${again === 0 ? "" : `?again=${again}`}`) as Promise<
        Pick<LoadedFile, "user">
      >;
    return { bundle, user: (await loadWithoutEvaluating(load, refusal)).user };
  } catch (error) {
    if (error === refusal) throw error;
    const stack = error instanceof Error ? bundle.mapStack(error.stack ?? error.message) : String(error);
    throw threwWhileLoading(file, stack, error);
  }
}
