import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a file, unless there is one. */
export async function writeNew(path: string, text: string): Promise<"written" | "already-there"> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: "wx" });
    return "written";
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return "already-there";
    throw error;
  }
}
