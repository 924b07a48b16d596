import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { ignoreMissing } from "../domain/has-code.ts";

/** Adds what `.env` in the folder says to the environment; what is set already stays. */
export async function readEnvFile(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  // A folder of that name is somebody's virtual environment.
  const text = await readFile(join(folder, ".env"), "utf8").catch(ignoreMissing);
  if (text === null) return;
  for (const [name, value] of Object.entries(parseEnv(text))) env[name] ??= value;
}
