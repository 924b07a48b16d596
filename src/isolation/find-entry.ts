import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { ignoreMissing } from "../domain/has-code.ts";
import { nearestPackageFolder } from "./package-folder.ts";
import { showPath } from "./show-path.ts";

/** A user's file and the folder of the package that it is part of. */
export interface UserEntry {
  readonly file: string;
  readonly root: string;
}

export async function findEntry(entry: string): Promise<UserEntry> {
  const found = await stat(entry).catch(ignoreMissing);
  if (!found?.isFile()) {
    const why = found ? "is not a file" : "does not exist";
    throw new EvaluatorError(
      "definition.missing",
      `${showPath(entry)} ${why}; give the path of an evaluation, such as evals/first.eval.ts`,
    );
  }
  const file = await realpath(entry);
  return { file, root: nearestPackageFolder(dirname(file)) ?? dirname(file) };
}
