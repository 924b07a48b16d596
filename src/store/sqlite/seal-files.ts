import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../domain/errors.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { guard, storeError } from "../errors.ts";

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
