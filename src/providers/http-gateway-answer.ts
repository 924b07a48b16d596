import type { ServerResponse } from "node:http";

/** About the connection or the body's coding, which are not passed on, and about accounts. */
const KEPT_BACK = [
  "connection",
  "content-encoding",
  "content-length",
  "keep-alive",
  "set-cookie",
  "transfer-encoding",
  "www-authenticate",
  "openai-organization",
  "openai-project",
];

/** The server's own headers, and a word to the SDK that trying again is not its business. */
export function answerHeaders(
  answer: Pick<Response, "headers">,
  hide: (text: string) => string,
): Record<string, string> {
  const passed = [...answer.headers].filter(([name]) => !KEPT_BACK.includes(name));
  return {
    ...Object.fromEntries(passed.map(([name, value]) => [name, hide(value)])),
    "x-should-retry": "false",
  };
}

export async function readText(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** What the gateway itself has to say, in the shape in which all SDKs look for a message. */
export function answerError(outgoing: ServerResponse, status: number, message: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const error = { type: status < 500 ? "invalid_request_error" : "api_error", message };
  outgoing.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
  outgoing.end(JSON.stringify({ type: "error", error }));
}
