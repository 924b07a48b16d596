import * as z from "zod";
import { type CallPlace, failedAnswer } from "./failed-call.ts";
import { ProviderError } from "./provider-error.ts";

/** The service's own names, because an exception within a stream has no status. */
const STATUS: Readonly<Record<string, number>> = {
  ThrottlingException: 429,
  ModelNotReadyException: 429,
  ModelTimeoutException: 408,
  // The model failed behind Bedrock (424), which the next try may not.
  ModelErrorException: 500,
  ModelStreamErrorException: 500,
  InternalServerException: 500,
  ServiceUnavailableException: 503,
  ValidationException: 400,
};

const Thrown = z.object({
  name: z.string(),
  message: z.string(),
  /** Where a proxy answers in Anthropic's words. */
  error: z.object({ message: z.string() }).optional().catch(undefined),
  $metadata: z.object({ httpStatusCode: z.number().optional() }).optional(),
  $response: z.object({ headers: z.record(z.string(), z.string()).optional() }).optional(),
});

/** What the AWS SDK threw, where it says more than that no answer came. */
export function bedrockFailure(place: CallPlace, error: unknown): ProviderError | undefined {
  const { success, data } = Thrown.safeParse(error);
  if (!success) return undefined;
  const { name, message, $metadata, $response } = data;
  if (name === "CredentialsProviderError") {
    return setupFailure(place, `no AWS credentials: ${message}`, "sign in, or set AWS_PROFILE", error);
  }
  if (message === "Region is missing") {
    return setupFailure(place, "no AWS region", "set AWS_REGION", error);
  }
  const status = STATUS[name] ?? $metadata?.httpStatusCode ?? 0;
  if (status < 400) return undefined;
  const headers = new Headers($response?.headers ?? {});
  return failedAnswer(place, {
    status,
    message: `${name}: ${data.error?.message ?? message}`,
    headers,
    cause: error,
  });
}

const setupFailure = (place: CallPlace, what: string, todo: string, cause: unknown) =>
  new ProviderError("provider_error", `${place.providerKey}: ${what}; ${todo}`, { retryable: false, cause });
