import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { EvaluatorError } from "../domain/errors.ts";
import { basicEnvironment } from "../isolation/parent/permissions.ts";

const MOST_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Asks git about the repository of a folder. Of the environment it sees the basics: inside a hook, git's own variables
 * mean another folder or index.
 */
export async function askGit(
  folder: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)("git", args, {
    cwd: folder,
    env: { ...basicEnvironment(process.env), ...variables },
    maxBuffer: MOST_OUTPUT_BYTES,
  }).catch((cause: unknown) => {
    throw refusedByGit(cause);
  });
  return stdout;
}

function refusedByGit(cause: unknown): EvaluatorError {
  const { code, stderr } = Object(cause) as { readonly code?: unknown; readonly stderr?: unknown };
  const why = code === "ENOENT" ? "git is not installed" : String(stderr || cause).trim();
  return new EvaluatorError("git.refused", why, { cause });
}
