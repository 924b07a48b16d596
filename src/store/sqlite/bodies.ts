import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode } from "../../domain/errors.ts";
import type { EvaluationId, RunId } from "../../domain/ids.ts";
import type { RunBody } from "../../domain/run/log-entry.ts";
import { sha256 } from "../../system/digest.ts";
import { StoredBody } from "../entry-head.ts";
import { bodyLost, storeError } from "../errors.ts";
import { bodyKey } from "../stored.ts";

/** A name may be taken by what a killed process with our pid left behind. */
const NAME_TRIES = 100;

/** One file per body, named by its content: a loser's file never replaces the winner's, and equal bodies are one. */
export class BodyFiles {
  readonly #folder: string;
  #temporary = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Answers with the key by which the body is read again. */
  async write(evaluation: EvaluationId, run: RunId, round: number, body: RunBody): Promise<string> {
    const text = JSON.stringify(body);
    const digest = sha256(text);
    const key = bodyKey(evaluation, run, round, digest);
    const file = join(this.#folder, key);
    await this.#writeWhole(file, text).catch((cause) => {
      throw storeError(cause, file);
    });
    return key;
  }

  async read(key: string): Promise<RunBody> {
    const file = join(this.#folder, key);
    const text = await readFile(file, "utf8").catch((cause) => {
      throw isMissing(cause) ? bodyLost(file, "is gone", cause) : storeError(cause, file);
    });
    try {
      return StoredBody.parse(JSON.parse(text));
    } catch (cause) {
      throw bodyLost(file, "cannot be read", cause);
    }
  }

  remove(key: string): Promise<void> {
    return rm(join(this.#folder, key), { force: true });
  }

  /** A file has its name only once it is whole. */
  async #writeWhole(file: string, text: string): Promise<void> {
    const temporary = await this.#writeTemporary(file, text);
    await rename(temporary, file).catch(async (cause) => {
      await rm(temporary, { force: true });
      throw cause;
    });
  }

  async #writeTemporary(file: string, text: string): Promise<string> {
    const { handle, path } = await this.#openTemporary(file);
    try {
      await handle.writeFile(text);
      await handle.close();
      return path;
    } catch (cause) {
      // What failed first is told.
      await handle.close().catch(() => {});
      await rm(path, { force: true });
      throw cause;
    }
  }

  async #openTemporary(file: string) {
    for (let tries = 1; ; tries++) {
      const path = `${file}.${process.pid}-${this.#temporary++}.tmp`;
      try {
        return { handle: await open(path, "wx"), path };
      } catch (cause) {
        if (tries === NAME_TRIES) throw cause;
        if (isMissing(cause)) await mkdir(dirname(file), { recursive: true });
        else if (!isTaken(cause)) throw cause;
      }
    }
  }
}

const isMissing = (cause: unknown): boolean => hasCode(cause, "ENOENT");
const isTaken = (cause: unknown): boolean => hasCode(cause, "EEXIST");
