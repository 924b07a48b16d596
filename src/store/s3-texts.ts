import { GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { awsError } from "./aws-error.ts";

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

  /** Null when there is no such object. */
  async read(key: string): Promise<string | null> {
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
      return (await Body?.transformToString()) ?? null;
    } catch (cause) {
      if (cause instanceof Error && cause.name === "NoSuchKey") return null;
      throw awsError(cause, this.placeOf(key));
    }
  }

  placeOf(key: string): string {
    return `s3://${this.#bucket}/${key}`;
  }
}
