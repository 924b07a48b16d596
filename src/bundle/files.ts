import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateFolder } from "../system/private-folder.ts";
import { writeWholeFile } from "../system/write-file.ts";
import type { BundleFormat } from "./esbuild-options.ts";

/** The folder for bundles: the given one, or one that only this user can read and write. */
export async function bundleFolder(given: string | undefined): Promise<string> {
  if (given === undefined)
    return realpath(privateFolder() ?? (await mkdtemp(join(tmpdir(), "agent-evaluator-"))));
  await mkdir(given, { recursive: true });
  return realpath(given);
}

interface BundleText {
  readonly format: BundleFormat;
  readonly text: string;
  readonly map: string;
}

/** Writes a bundle and its source map into a folder of their own; a reader never sees half of one. */
export async function writeBundle(outFolder: string, name: string, bundle: BundleText): Promise<string> {
  const folder = join(outFolder, name);
  const files = filesOf(name, bundle);
  for (const [file, text] of files) await writeWholeFile(join(folder, file), text);
  return join(folder, files.at(-1)?.[0] ?? name);
}

/** In the order in which they may appear: the last one is what is started. */
function filesOf(name: string, { format, text, map }: BundleText): [file: string, text: string][] {
  const file = format === "script" ? `${name}.cjs` : `${name}.mjs`;
  const mapped = `${text}//# sourceMappingURL=${file}.map\n`;
  const files: [string, string][] = [[`${file}.map`, map]];
  if (format === "module") return [...files, [file, mapped]];
  return [...files, [`${file}.code`, asScript(mapped)], [file, scriptLoader()]];
}

/** The text of a bundle as the script that `scriptLoader` runs; every line keeps its number. */
const asScript = (text: string): string => `(function(module,exports){"use strict";${text}})`;

/** The file with V8's compiled code of a script bundle, for this release of Node. */
export const compiledFile = (bundleFile: string): string => `${bundleFile}.${process.version}`;

/** Under this name a process that had to compile its script bundle gives what V8 has made of it. */
export const COMPILED = "agent-evaluator.compiled";

/**
 * The file that a process starts. It runs the code beside it under its own name, from what V8 made of it in an
 * earlier process if that was kept, which halves the time it takes. Runs may only read what was kept.
 * A process that only imports it has the code compiled by Node, which then knows how to import for it.
 */
const scriptLoader = (): string =>
  [
    'const fs=process.getBuiltinModule("fs"),vm=process.getBuiltinModule("vm");',
    'const text=fs.readFileSync(__filename+".code","utf8"),bundle={exports:{}};',
    // Nothing is kept before the first check, and V8 itself refuses what it cannot use.
    'const kept=()=>{try{return fs.readFileSync(__filename+"."+process.version)}catch{}};',
    "const start=()=>{const script=new vm.Script(text,{filename:__filename,cachedData:kept(),",
    "importModuleDynamically:vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER});",
    `if(script.cachedDataRejected!==false)globalThis[Symbol.for(${JSON.stringify(COMPILED)})]=()=>script.createCachedData();`,
    "return script.runInThisContext()};",
    "const load=()=>{const code=new(process.getBuiltinModule('module'))(__filename);",
    'code._compile("module.exports="+text,__filename);return code.exports};',
    "(require.main===module?start():load())(bundle,bundle.exports);exports.user=bundle.exports.user;\n",
  ].join("");
