import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";

/** The one layer that tries again: it waits longer each time, and slows down all calls while AWS throttles. */
const RETRIES = { maxAttempts: 10, retryMode: "adaptive" } as const;

const WAITS = { connectionTimeout: 3_000, requestTimeout: 15_000, throwOnRequestTimeout: true } as const;

export const dynamoClient = (config: DynamoDBClientConfig = {}): DynamoDBClient =>
  new DynamoDBClient({ ...RETRIES, requestHandler: WAITS, ...config });

export const s3Client = (config: S3ClientConfig = {}): S3Client =>
  new S3Client({ ...RETRIES, requestHandler: WAITS, ...config });
