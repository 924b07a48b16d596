import { glob, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ignoreMissing } from "../domain/has-code.ts";
import { UsageError } from "./usage-error.ts";

/** Absolute paths of the evaluation files that the words name: files, folders (their *.eval.ts) and globs. */
export async function findEvalFiles(words: readonly string[], cwd: string): Promise<string[]> {
  const found = new Set<string>();
  for (const word of words) for (const file of await expand(word, cwd)) found.add(file);
  return [...found];
}

/** Those of a folder, which need not exist. */
export const evalFilesIn = (folder: string): Promise<string[]> =>
  globFiles("**/*.eval.{ts,mts,js,mjs}", folder);

async function expand(word: string, cwd: string): Promise<string[]> {
  const path = resolve(cwd, word);
  const there = await stat(path).catch(ignoreMissing);
  if (there?.isFile()) return [path];
  if (there?.isDirectory()) {
    const files = await evalFilesIn(path);
    if (files.length > 0) return files;
    throw new UsageError(`${word} has no evaluation: no file in it ends with .eval.ts.`, "run");
  }
  if (!/[*?[{]/.test(word)) throw new UsageError(`${word} does not exist.`, "run");
  const files = await globFiles(word, cwd);
  if (files.length > 0) return files;
  throw new UsageError(`No file fits ${word}.`, "run");
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
