import { GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import { StoredBody } from "../entry-head.ts";
import { bodyLost } from "../errors.ts";
import { awsError } from "./aws.ts";
import { bodyObject } from "./keys.ts";

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
    if (text === null) throw bodyLost(place, "is gone, or this role may not read it");
    try {
      return StoredBody.parse(JSON.parse(text));
    } catch (cause) {
      throw bodyLost(place, "cannot be read", cause);
    }
  }
}

const GONE = ["NoSuchKey", "AccessDenied"];

/** Texts of a bucket by their key. */
export class S3Texts {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async write(key: string, text: string): Promise<void> {
    const object = { Bucket: this.#bucket, Key: key, Body: text, ContentType: "application/json" };
    await this.#client.send(new PutObjectCommand(object)).catch((cause) => {
      throw awsError(cause, this.placeOf(key));
    });
  }

  /** Null when there is no such object; to a role that may not list the bucket S3 says that it has no access. */
  async read(key: string): Promise<string | null> {
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
      return (await Body?.transformToString()) ?? null;
    } catch (cause) {
      if (cause instanceof Error && GONE.includes(cause.name)) return null;
      throw awsError(cause, this.placeOf(key));
    }
  }

  placeOf(key: string): string {
    return `s3://${this.#bucket}/${key}`;
  }
}
