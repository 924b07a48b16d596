import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from "@aws-sdk/client-bedrock-runtime";
import * as z from "zod";
import { failedAnswer } from "../failed-call.ts";
import { patientFetch } from "../patient-fetch.ts";
import {
  type CallOptions,
  type CallPlace,
  type ChatProvider,
  ProviderError,
  type ProviderSettings,
} from "../provider.ts";
import { mergeFields } from "../wire.ts";
import { readConverse, readConverseStream, toBedrockReply } from "./reply.ts";
import { toConverseInput } from "./request.ts";

/** Every model of Amazon Bedrock over Converse: region and credentials are the account's own, as the SDK finds them. */
export function bedrockProvider(settings: ProviderSettings): Required<ChatProvider> {
  const client = new BedrockRuntimeClient({
    ...(settings.baseUrl === null ? {} : { endpoint: settings.baseUrl }),
    maxAttempts: 1,
    requestHandler: bedrockHttp(),
  });
  const options = ({ signal }: CallOptions) => (signal === undefined ? {} : { abortSignal: signal });
  return {
    async generate(request, given = {}) {
      try {
        const command = new ConverseCommand(mergeFields(toConverseInput(request), given.body));
        command.middlewareStack.add(addHeaders(given), { step: "build" });
        const output = await client.send(command, options(given));
        return toBedrockReply(readConverse(output));
      } catch (error) {
        throw bedrockFailure(settings, error) ?? error;
      }
    },
    async *stream(request, given = {}) {
      try {
        const command = new ConverseStreamCommand(mergeFields(toConverseInput(request), given.body));
        command.middlewareStack.add(addHeaders(given), { step: "build" });
        yield* readConverseStream(await client.send(command, options(given)));
      } catch (error) {
        throw bedrockFailure(settings, error) ?? error;
      }
    },
  };
}

/** Adds headers before the request is signed. */
const addHeaders =
  ({ headers }: CallOptions) =>
  <Args extends { request: unknown }, Output>(next: (args: Args) => Output) =>
  (args: Args): Output => {
    Object.assign(Object(Object(args.request).headers), headers);
    return next(args);
  };

/** A request as the AWS SDK hands it over, signed. */
interface SignedRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/**
 * Sends the AWS SDK's requests with `fetch`, as all other providers do. The SDK's own way is HTTP/2 with a
 * connection per call, which a plain HTTP endpoint does not speak.
 */
function bedrockHttp() {
  const send = patientFetch();
  return {
    metadata: { handlerProtocol: "http/1.1" },
    async handle(request: SignedRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      const { protocol, hostname, port, path, method, body } = request;
      const answer = await send(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`, {
        method,
        headers: withoutOwn(request.headers),
        ...(body === undefined ? {} : { body }),
        ...(abortSignal === undefined ? {} : { signal: abortSignal }),
      });
      return {
        response: {
          statusCode: answer.status,
          headers: Object.fromEntries(answer.headers),
          body: answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body as ReadableStream),
        },
      };
    },
  };
}

/** What `fetch` sets by itself, to the same values that were signed. */
const withoutOwn = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !["host", "content-length"].includes(name.toLowerCase())),
  );

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
function bedrockFailure(place: CallPlace, error: unknown): ProviderError | undefined {
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
