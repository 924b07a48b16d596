import type { LogEntry } from "../domain/log-entry.ts";
import type { RunBody } from "../domain/run-body.ts";
import { bodyLost } from "./body-lost.ts";
import { StoredBody } from "./body-to-keep.ts";
import { bodyObject } from "./dynamo-keys.ts";
import type { S3Texts } from "./s3-texts.ts";

/**
 * One object per body, named by its content: a loser's object never replaces the winner's. It stays where it is,
 * because a runner may not delete.
 */
export class S3Bodies {
  readonly #texts: S3Texts;

  constructor(texts: S3Texts) {
    this.#texts = texts;
  }

  /** Answers with the key by which the body is read again. */
  async write({ evaluationId, runId, round }: LogEntry, body: RunBody): Promise<string> {
    const text = JSON.stringify(body);
    const key = bodyObject(evaluationId, runId, round, text);
    await this.#texts.write(key, text);
    return key;
  }

  async read(key: string): Promise<RunBody> {
    const text = await this.#texts.read(key);
    const place = this.#texts.placeOf(key);
    if (text === null) throw bodyLost(place, "is gone");
    try {
      return StoredBody.parse(JSON.parse(text));
    } catch (cause) {
      throw bodyLost(place, "cannot be read", cause);
    }
  }
}
