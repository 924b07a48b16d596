import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { UsageError } from "../usage-error.ts";

export interface Listening extends AsyncDisposable {
  readonly port: number;
}

type Handler = (request: Request) => Response | Promise<Response>;

/** Listens on this machine alone; the handler is made once the port is known. */
export async function listen(port: number, makeHandler: (port: number) => Handler): Promise<Listening> {
  let handler: Handler = () => new Response(null, { status: 503 });
  const server = createAdaptorServer({ fetch: (request: Request) => handler(request) });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE" && error.code !== "EACCES") throw error;
    const why = error.code === "EACCES" ? "may not be used" : "is in use";
    throw new UsageError(`Port ${port} ${why}; choose another one with --port.`);
  });
  const { port: given } = server.address() as AddressInfo;
  handler = makeHandler(given);
  return {
    port: given,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}
