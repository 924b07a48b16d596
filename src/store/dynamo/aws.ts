import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import { type ErrorCode, EvaluatorError } from "../../domain/errors.ts";

/** Turns what AWS reports into an error that says where and what to do next; anything else stays as it is. */
export function awsError(cause: unknown, place: string): unknown {
  if (!(cause instanceof Error)) return cause;
  const trouble = TROUBLES.find(({ names }) => names.test(cause.name)) ?? byStatus(cause);
  if (trouble === undefined) return cause;
  const { code, what, next } = trouble;
  return new EvaluatorError(code, `${place} ${what} (${cause.name}: ${cause.message}). ${next}`, { cause });
}

interface Trouble {
  readonly names: RegExp;
  readonly code: ErrorCode;
  readonly what: string;
  readonly next: string;
}

const BUSY: Trouble = {
  names: /Throttl|ProvisionedThroughput|RequestLimitExceeded|SlowDown|TooManyRequests/,
  code: "store.busy",
  what: "refused several tries, because it gets too many requests or has problems of its own",
  next: "Lower the concurrency, or try again later; every entry saved so far is kept.",
};

const TROUBLES: readonly Trouble[] = [
  BUSY,
  {
    names:
      /AccessDenied|Forbidden|UnrecognizedClient|InvalidSignature|InvalidAccessKey|ExpiredToken|Credentials/,
    code: "store.denied",
    what: "may not be used with these credentials",
    next: "Check that the role has the rights that the stack gives it, and that its credentials are still valid.",
  },
  {
    names: /ResourceNotFound|NoSuchBucket/,
    code: "store.unusable",
    what: "does not exist in this account and region",
    next: "Deploy the stack, or check the names that the function was given.",
  },
  {
    names: /Timeout|ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|NetworkingError/,
    code: "store.unreachable",
    what: "did not answer in time",
    next: "Check the network between here and AWS, then try again; every entry saved so far is kept.",
  },
];

/** Network failures carry a code, failures on AWS's side a status. */
function byStatus(cause: Error): Trouble | undefined {
  if ("code" in cause) return TROUBLES.find(({ names }) => names.test(String(cause.code)));
  if (!("$metadata" in cause)) return undefined;
  const { httpStatusCode = 0 } = cause.$metadata as { httpStatusCode?: number };
  return httpStatusCode >= 500 ? BUSY : undefined;
}

/** The one layer that tries again: it waits longer each time, and slows down all calls while AWS throttles. */
const RETRIES = { maxAttempts: 10, retryMode: "adaptive" } as const;

const WAITS = { connectionTimeout: 3_000, requestTimeout: 15_000, throwOnRequestTimeout: true } as const;

export const dynamoClient = (config: DynamoDBClientConfig = {}): DynamoDBClient =>
  new DynamoDBClient({ ...RETRIES, requestHandler: WAITS, ...config });

export const s3Client = (config: S3ClientConfig = {}): S3Client =>
  new S3Client({ ...RETRIES, requestHandler: WAITS, ...config });
