import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Makes a folder and those above it; Node's own recursive mkdir never returns on a path like /proc/x. */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  makeOne(path);
}

function makeOne(path: string): void {
  try {
    mkdirSync(path);
  } catch (cause) {
    // Another process may have made it in between.
    if (!existsSync(path)) throw cause;
  }
}
