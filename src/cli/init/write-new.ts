import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "../../domain/has-code.ts";

/** Writes a file, unless there is one. */
export async function writeNew(path: string, text: string): Promise<"written" | "already-there"> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: "wx" });
    return "written";
  } catch (error) {
    if (hasCode(error, "EEXIST")) return "already-there";
    throw error;
  }
}
