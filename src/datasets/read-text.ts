import { createReadStream } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { EvaluatorError } from "../domain/evaluator-error.ts";
import { hasCode } from "../domain/has-code.ts";

/** The path of a file as people know it. */
export const nameOf = (file: string | URL): string => relative(process.cwd(), pathOf(file));

/** The text of a file in pieces, without the mark that some programs put before it. */
export async function* readText(file: string | URL): AsyncGenerator<string> {
  const stream = createReadStream(pathOf(file), { encoding: "utf8" });
  let isFirst = true;
  try {
    for await (const chunk of stream) {
      const text = String(chunk);
      yield isFirst ? text.replace(/^\uFEFF/, "") : text;
      isFirst = false;
    }
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

const pathOf = (file: string | URL): string => (file instanceof URL ? fileURLToPath(file) : resolve(file));

function unreadable(file: string | URL, cause: unknown): unknown {
  if (!(cause instanceof Error && "syscall" in cause)) return cause;
  const isMissing = hasCode(cause, "ENOENT");
  const what = isMissing
    ? `there is no file ${nameOf(file)}`
    : `${nameOf(file)} cannot be read (${cause.message})`;
  const near = `new URL(${JSON.stringify(basename(pathOf(file)))}, import.meta.url)`;
  return new EvaluatorError(
    "dataset.unreadable",
    `${what}; a relative path starts at the current folder, and a file beside the evaluation is ${near}`,
    { cause },
  );
}
