import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ignoreMissing } from "../../domain/has-code.ts";
import { evalFilesIn } from "../eval-files.ts";
import { cloudFiles } from "./cloud-files.ts";
import { evalsIndex } from "./evals-index.ts";
import { STARTER } from "./starter.ts";
import { writeNew } from "./write-new.ts";

export interface WrittenFiles {
  readonly written: readonly string[];
  /** What was there before, and stays as it is. */
  readonly left: readonly string[];
}

const FIRST = "evals/first.eval.ts";

/** Writes what is missing of what deploys a project's evaluations; where there are none, a first one too. */
export async function writeCloud(project: string): Promise<WrittenFiles> {
  const evals = join(project, "evals");
  const found = await evalFilesIn(evals);
  const listed = found.length === 0 ? [join(project, FIRST)] : found;
  const files = new Map([
    ...cloudFiles(project),
    ...(found.length === 0 ? [[FIRST, STARTER] as const] : []),
    ["evals/index.ts", evalsIndex(evals, listed)],
  ]);
  const written: string[] = [];
  const left: string[] = [];
  for (const [path, text] of files) {
    const end = await writeNew(join(project, path), text);
    (end === "written" ? written : left).push(path);
  }
  await ignoreSst(join(project, ".gitignore"));
  return { written, left };
}

/** What SST makes for itself is nobody's to commit. */
async function ignoreSst(file: string): Promise<void> {
  const text = (await readFile(file, "utf8").catch(ignoreMissing)) ?? "";
  if (/^\/?\.sst\/?\s*$/m.test(text)) return;
  await appendFile(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}.sst/\n`);
}
