import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { ignoreMissing } from "../domain/has-code.ts";

export const ENV_FILE = ".env";

/** Adds what `.env` in the folder says to the environment; what is set already stays, unless an earlier reading set it. */
export async function readEnvFile(
  folder: string,
  env: NodeJS.ProcessEnv,
  own: Set<string> = new Set(),
): Promise<void> {
  // A folder of that name is somebody's virtual environment.
  const text = await readFile(join(folder, ENV_FILE), "utf8").catch(ignoreMissing);
  const found = text === null ? {} : parseEnv(text);
  for (const name of own) if (!Object.hasOwn(found, name)) delete env[name];
  for (const [name, value] of Object.entries(found)) {
    if (env[name] !== undefined && !own.has(name)) continue;
    env[name] = value;
    own.add(name);
  }
}
