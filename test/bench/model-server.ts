import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ModelServer {
  readonly baseUrl: string;
  latencyMs: number;
  close(): void;
}

/** Speaks Chat Completions on loopback: after a fixed latency every request is answered with a call of `finish`. */
export async function startModelServer(): Promise<ModelServer> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => setTimeout(() => response.end(REPLY), model.latencyMs));
    response.setHeader("content-type", "application/json");
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const model: ModelServer = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    latencyMs: 0,
    close: () => server.close().closeAllConnections(),
  };
  return model;
}

const finish = { name: "finish", arguments: JSON.stringify({ value: "done" }) };
export const REPLY = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 0,
  model: "fixed-latency",
  choices: [
    {
      index: 0,
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call-1", type: "function", function: finish }],
      },
    },
  ],
  usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
});
