import { isAbsolute, relative } from "node:path";

/** A path as a user reads it best: relative to the working folder when inside it. */
export function showPath(file: string): string {
  const short = relative(process.cwd(), file);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? file : short;
}
