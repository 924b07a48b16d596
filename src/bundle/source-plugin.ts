import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/** Every file in a bundle still knows its own place. */
export const locationDefines = {
  "import.meta": "__meta",
  __dirname: "__meta.dirname",
  __filename: "__meta.filename",
  "require.main": "__meta.mainModule",
} as const;

/**
 * Gives each source file the `__meta` that `locationDefines` speaks of, and lets zod be tree-shaken.
 * Line numbers stay; `shifts` learns at which offset's line the columns of a file moved, and how far.
 */
export function sourcePlugin(shifts: Map<string, Shift>): Plugin {
  return {
    name: "agent-evaluator-source",
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, async ({ path }) => {
        const source = await readFile(path, "utf8");
        if (!asksForItsPlace.test(source) && !mentionsZod.test(source)) return undefined;
        const text = withZodNamespace(source);
        if (!asksForItsPlace.test(text)) return { contents: text, loader: "default" };
        const at = afterDirectives(text);
        const meta = metaOf(path, asksForMain.test(text));
        shifts.set(path, shiftAt(text, at, meta.length));
        return { contents: text.slice(0, at) + meta + text.slice(at), loader: "default" };
      });
    },
  };
}

/** Shift of places on a line: from `column` on (0-based), those on `line` (0-based) lie `by` columns too far right. */
export interface Shift {
  readonly line: number;
  readonly column: number;
  readonly by: number;
}

const asksForMain = /\brequire\s*\.\s*main\b/;
const asksForItsPlace = new RegExp(
  `\\bimport\\s*\\.\\s*meta\\b|\\b__(?:dirname|filename)\\b|${asksForMain.source}`,
);
const mentionsZod = /["']zod["']/;

/** A script that runs again in a child is the main module there too, as `process.argv` says. */
function metaOf(path: string, isCommonJs: boolean): string {
  const [url, folder, file] = [pathToFileURL(path).href, dirname(path), path].map((text) =>
    JSON.stringify(text),
  );
  const isMain = `process.argv[1]===${file}`;
  const mainModule = isCommonJs ? `,mainModule:${isMain}?module:undefined` : "";
  const resolve = `name=>__resolveFrom(${url},name)`;
  return `const __meta={url:${url},dirname:${folder},filename:${file},main:${isMain},resolve:${resolve}${mainModule}};`;
}

function shiftAt(text: string, at: number, by: number): Shift {
  const before = text.slice(0, at);
  return { line: before.split("\n").length - 1, column: at - (before.lastIndexOf("\n") + 1), by };
}

/** The offset behind a file's shebang, leading comments and directives, where a statement may be put. */
function afterDirectives(text: string): number {
  return endOfAll(text, [shebang, blank, comment, directive]);
}

/**
 * Turns `import { z } from "zod"` at the top of a file into `import * as z from "zod"`, because esbuild
 * can drop the unused parts of a namespace but not those of an object (600 against 130 KB, 18 ms a child).
 */
function withZodNamespace(text: string): string {
  const end = endOfAll(text, [shebang, blank, comment, directive, importStatement]);
  return text.slice(0, end).replace(zodImport, namespaceImport) + text.slice(end);
}

const shebang = /^#!.*/y;
const blank = /\s+/y;
const comment = /\/\/.*|\/\*[\s\S]*?\*\//y;
const directive = /(["'])use [\w -]+\1[ \t]*(?:;|(?=\r?\n|$))/y;
const importStatement =
  /import\b(?:[\w$\s{},*]*?\bfrom)?\s*(["'])[^"'\n]+\1(?:\s*with\s*\{[^}]*\})?[ \t]*(?:;|(?=\r?\n|$))/y;

const zodImport = /(?<=^|;)([ \t]*)import\s*\{\s*z(?:\s+as\s+([\w$]+))?\s*,?\s*\}\s*from\s*(?:"zod"|'zod')/gm;

function namespaceImport(whole: string, indent: string, name = "z"): string {
  const lines = whole.split("\n").length - 1;
  return `${indent}import * as ${name} from "zod"${"\n".repeat(lines)}`;
}

/** The offset up to which `text` consists of `parts`, in any order and number. */
function endOfAll(text: string, parts: readonly RegExp[]): number {
  let end = 0;
  let next = matchEnd(text, end, parts);
  while (next > end) {
    end = next;
    next = matchEnd(text, end, parts);
  }
  return end;
}

function matchEnd(text: string, from: number, parts: readonly RegExp[]): number {
  for (const part of parts) {
    part.lastIndex = from;
    if (part.test(text)) return part.lastIndex;
  }
  return from;
}
