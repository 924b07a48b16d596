import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { patientFetch } from "./patient-fetch.ts";

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
export function bedrockHttp() {
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
