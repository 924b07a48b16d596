import { SourceMap } from "node:module";
import { dirname, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { showPath } from "./places.ts";
import type { Shift } from "./source-plugin.ts";

interface MapperOptions {
  /** The bundle's file. */
  readonly file: string;
  /** Gives the text of its source map, which few stacks need. */
  readonly readMap: () => string;
  /** Where columns of the source files moved before they were mapped. */
  readonly shifts: ReadonlyMap<string, Shift>;
  readonly ownFolder: string;
}

/** Makes a function that rewrites a stack into the user's own files and lines. */
export function stackMapper(options: MapperOptions): (stack: string) => string {
  const findOrigin = originFinder(options);
  return (stack) =>
    stack.replaceAll(LOADED_AGAIN, "").replace(frameLines, (lines) => {
      const frames = lines.split("\n").map((line) => mapFrame(line, options, findOrigin));
      const useful = frames.filter(({ kind }) => kind !== "glue");
      const last = useful.findLastIndex(({ kind }) => kind === "user");
      const kept = last < 0 ? useful : useful.slice(0, last + 1);
      return kept.map(({ line }) => line).join("\n");
    });
}

/** `glue` is esbuild's own code between modules; `noise` says nothing to the user at the end of a stack. */
interface Frame {
  readonly line: string;
  readonly kind: "user" | "noise" | "glue";
}

/** The end of the address of a bundle that was loaded once more. */
const LOADED_AGAIN = /\?again=\d+(?=:\d)/g;

const frameLines = /^[ \t]+at .+(?:\n[ \t]+at .+)*/gm;

function mapFrame(
  line: string,
  { file, ownFolder }: MapperOptions,
  findOrigin: ReturnType<typeof originFinder>,
): Frame {
  const place = placeIn(line, file);
  if (place === undefined) return { line, kind: isNoise(line, ownFolder) ? "noise" : "user" };
  const origin = findOrigin(place.line, place.column);
  if (origin === undefined) return { line, kind: "glue" };
  const shown = `${showPath(origin.file)}:${origin.line}:${origin.column}`;
  const placed = line.replace(place.text, () => shown);
  const kind = origin.file.startsWith(ownFolder + sep) ? "noise" : "user";
  return { line: withoutModuleName(placed, shown), kind };
}

/** Finds the place in `file`, named by address or by path, that a frame of a stack is at. */
function placeIn(line: string, file: string) {
  const name = [pathToFileURL(file).href, file].find((known) => line.includes(`${known}:`));
  if (name === undefined) return undefined;
  const [digits, row, column] = /^:(\d+):(\d+)/.exec(line.slice(line.indexOf(name) + name.length)) ?? [];
  if (digits === undefined) return undefined;
  return { text: name + digits, line: Number(row), column: Number(column) };
}

function isNoise(line: string, ownFolder: string): boolean {
  if (/\bnode:[\w/]+:\d+/.test(line) || line.endsWith("(<anonymous>)")) return true;
  return line.includes(ownFolder + sep) || line.includes(`${pathToFileURL(ownFolder).href}/`);
}

/** esbuild wraps each module in a function that has the module's path for a name. */
function withoutModuleName(line: string, place: string): string {
  const [, at, name] = /^([ \t]+at )(?:async )?(?:Object\.)?(.+?) \(/.exec(line) ?? [];
  return name !== undefined && /\.[cm]?[jt]sx?$/.test(name) ? `${at}${place}` : line;
}

/** Makes a function that finds a place of the bundle in a source file, both counted from 1 as in a stack. */
function originFinder({ file, readMap, shifts }: MapperOptions) {
  let parsed: SourceMap | undefined;
  return (line: number, column: number) => {
    parsed ??= new SourceMap(JSON.parse(readMap()));
    const entry = parsed.findEntry(line - 1, column - 1);
    if (!("originalSource" in entry) || !entry.originalSource) return undefined;
    if (entry.originalSource.endsWith("agent-evaluator-entry")) return undefined;
    const source = fileURLToPath(new URL(entry.originalSource, pathToFileURL(`${dirname(file)}/`)));
    return unshifted(source, entry.originalLine, entry.originalColumn, shifts.get(source));
  };
}

function unshifted(file: string, line: number, column: number, shift: Shift | undefined) {
  const moved = shift !== undefined && shift.line === line && column >= shift.column + shift.by;
  return { file, line: line + 1, column: column + 1 - (moved ? shift.by : 0) };
}
