import { glob, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { ignoreMissing } from "../domain/errors.ts";
import { UsageError } from "./exit.ts";

/** Returns absolute paths of the evaluation files that the words name: files, folders (their *.eval.ts) and globs. */
export async function findEvalFiles(words: readonly string[], cwd: string): Promise<string[]> {
  const found = new Set<string>();
  for (const word of words) for (const file of await expand(word, cwd)) found.add(file);
  return [...found];
}

/** Returns the evaluation files of a folder, which may be missing. */
export const evalFilesIn = (folder: string): Promise<string[]> =>
  globFiles("**/*.eval.{ts,mts,js,mjs}", folder);

async function expand(word: string, cwd: string): Promise<string[]> {
  const path = resolve(cwd, word);
  const there = await stat(path).catch(ignoreMissing);
  if (there?.isFile()) return [path];
  if (there?.isDirectory()) {
    const files = await evalFilesIn(path);
    if (files.length > 0) return files;
    throw new UsageError(`${word} has no evaluation: no file in it ends with .eval.ts.`);
  }
  if (!/[*?[{]/.test(word)) throw new UsageError(`${word} does not exist.`);
  const files = await globFiles(word, cwd);
  if (files.length > 0) return files;
  throw new UsageError(`No file matches ${word}.`);
}

async function globFiles(pattern: string, cwd: string): Promise<string[]> {
  const matches = glob(pattern, {
    cwd,
    exclude: (name) => name === "node_modules" || name.endsWith("/node_modules"),
  });
  const files: string[] = [];
  for await (const match of matches) {
    const path = resolve(cwd, match);
    if ((await stat(path).catch(ignoreMissing))?.isFile()) files.push(path);
  }
  return files.sort();
}

export const ENV_FILE = ".env";

/** Adds what `.env` in the folder says to the environment; what is set already stays, unless an earlier reading set it. */
export async function readEnvFile(
  folder: string,
  env: NodeJS.ProcessEnv,
  own: Set<string> = new Set(),
): Promise<void> {
  // A folder of that name may be a virtual environment.
  const text = await readFile(join(folder, ENV_FILE), "utf8").catch(ignoreMissing);
  const found = text === null ? {} : parseEnv(text);
  for (const name of own) if (!Object.hasOwn(found, name)) delete env[name];
  for (const [name, value] of Object.entries(found)) {
    if (env[name] !== undefined && !own.has(name)) continue;
    env[name] = value;
    own.add(name);
  }
}
