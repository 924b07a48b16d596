import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { FinishedEvaluation } from "../run/fold-entries.ts";

/** A file for other programs; several evaluations are written one after another. */
export interface Output {
  add(finished: FinishedEvaluation): Promise<void>;
  end(): Promise<void>;
}

/** A text file that is written in pieces, so that it may be larger than memory. */
export interface OutputFile {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

const CHUNK_LENGTH = 64 * 1024;

/** Opens the file now, so that one that cannot be written is known before anything runs. */
export async function openOutputFile(path: string, how: "replace" | "append"): Promise<OutputFile> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, how === "append" ? "a" : "w");
  let chunk = "";
  const flush = async () => {
    const text = chunk;
    chunk = "";
    if (text !== "") await file.writeFile(text);
  };
  return {
    async write(text) {
      chunk += text;
      if (chunk.length >= CHUNK_LENGTH) await flush();
    },
    async close() {
      await flush();
      await file.close();
    },
  };
}
