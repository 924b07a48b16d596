import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { TokenBucket } from "../fixtures/gateway/token-bucket.ts";
import { REPLY } from "./model-server.ts";

export interface LimitedServer {
  readonly baseUrl: string;
  readonly bucket: TokenBucket;
  close(): void;
}

/** Speaks Chat Completions on loopback, and answers 429 to whoever comes when its bucket is empty. */
export async function startLimitedServer(
  perSecond: number,
  burst: number,
  latencyMs: number,
): Promise<LimitedServer> {
  const bucket = new TokenBucket(perSecond, burst, () => performance.now());
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    request.resume().on("end", () => {
      if (bucket.isTaken())
        return void setTimeout(() => response.end(REPLY), latencyMs * (0.5 + Math.random()));
      response.writeHead(429, { "retry-after-ms": String(Math.ceil(1_000 / perSecond)) });
      response.end(JSON.stringify({ error: { message: "too many requests" } }));
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    bucket,
    close: () => server.close().closeAllConnections(),
  };
}
