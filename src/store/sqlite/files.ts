import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../../domain/errors.ts";
import type { EvaluationId, RunId } from "../../domain/ids.ts";
import type { RunBody } from "../../domain/run/log-entry.ts";
import { sha256 } from "../../system/digest.ts";
import { writeWholeFile } from "../../system/write-file.ts";
import { StoredBody } from "../entry-head.ts";
import { bodyLost, guard, storeError } from "../errors.ts";
import { bodyKey } from "../stored.ts";

/** One file per body, named by its content: a loser's file never replaces the winner's, and equal bodies are one. */
export class BodyFiles {
  readonly #folder: string;
  readonly #drafts: string;

  /** Both folders are on one disk; a killed process leaves its unfinished files in `drafts`. */
  constructor(folder: string, drafts: string) {
    this.#folder = folder;
    this.#drafts = drafts;
  }

  /** Returns the key to read the body by. */
  async write(evaluation: EvaluationId, run: RunId, round: number, body: RunBody): Promise<string> {
    const text = JSON.stringify(body);
    const key = bodyKey(evaluation, run, round, sha256(text));
    const file = join(this.#folder, key);
    await writeWholeFile(file, text, this.#drafts).catch((cause) => {
      throw storeError(cause, file);
    });
    return key;
  }

  async read(key: string): Promise<RunBody> {
    const file = join(this.#folder, key);
    const text = await readFile(file, "utf8").catch((cause) => {
      throw hasCode(cause, "ENOENT") ? bodyLost(file, "is gone", cause) : storeError(cause, file);
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
}

/** One key per evaluation, beside the database: who writes into the database from elsewhere does not know it. */
export class SealFiles {
  readonly #folder: string;
  readonly #known = new Map<EvaluationId, string | null>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  make(id: EvaluationId): void {
    guard(this.#folder, () => {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(this.#folder, id), randomBytes(32).toString("base64url"), { mode: 0o600 });
    });
    this.#known.delete(id);
  }

  /** Null for an evaluation of a release that signed nothing. */
  readonly find = (id: EvaluationId): string | null => {
    const known = this.#known.get(id);
    const key = known === undefined ? this.#read(id) : known;
    this.#known.set(id, key);
    return key;
  };

  #read(id: EvaluationId): string | null {
    try {
      return readFileSync(join(this.#folder, id), "utf8");
    } catch (cause) {
      if (hasCode(cause, "ENOENT")) return null;
      throw storeError(cause, this.#folder);
    }
  }
}
