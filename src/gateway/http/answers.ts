import type { ServerResponse } from "node:http";
import * as z from "zod";
import { parseJson } from "../../domain/json.ts";
import { failedAnswer, streamedFailure } from "../../providers/failed-call.ts";
import { geminiFailure } from "../../providers/gemini/reply.ts";
import type { CallPlace, ProviderError } from "../../providers/provider.ts";
import type { Upstream } from "./upstream.ts";

const ErrorInStream = z.object({
  message: z.string(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});

/** Where the protocols put it: in the piece, in its `response`, or the piece is the error itself. */
const Failed = z.union([
  z.object({ error: ErrorInStream }).transform(({ error }) => error),
  z.object({ response: z.object({ error: ErrorInStream }) }).transform(({ response }) => response.error),
  ErrorInStream.extend({ type: z.literal("error") }),
]);

/** The error in a piece of a stream that began with status 200; null for any other piece. */
export function failureIn(place: CallPlace, piece: unknown): ProviderError | null {
  const { data } = Failed.safeParse(piece);
  return data === undefined ? null : streamedFailure(place, data);
}

/** An error answer of the real server: as it is passed on to the agent, and as a ProviderError. */
export interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly error: ProviderError;
  readonly fault: "provider" | "agent";
}

/** The agent's own code wrote what these refuse. */
const BAD_REQUESTS = [400, 413, 422];

export async function readRefusal(
  upstream: Upstream,
  answer: Response,
  hide: (text: string) => string,
): Promise<Refusal> {
  const { status, headers } = answer;
  const text = hide(await answer.text());
  // Gemini calls a wrong key a bad request.
  const isAgents = BAD_REQUESTS.includes(status) && !text.includes("API_KEY_INVALID");
  const again = () => new Response(text, { status, headers });
  const { message, code } = readBody(text);
  const error =
    upstream.family === "gemini"
      ? await geminiFailure(upstream, again())
      : failedAnswer(upstream, { status, message, headers, code });
  return {
    status,
    headers: answerHeaders(answer, hide),
    text,
    error,
    fault: isAgents ? "agent" : "provider",
  };
}

const ErrorBody = z.object({ error: z.object({ message: z.string(), code: z.unknown().optional() }) });

const readBody = (text: string): { message: string; code?: unknown } =>
  ErrorBody.safeParse(parseJson(text)).data?.error ?? { message: text.slice(0, 1_000) };

/** Headers about the connection, the body's coding and accounts, which the agent does not get. */
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

/** The server's own headers, and one that keeps the SDK from trying again. */
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

/** Sends an error of the gateway itself, in the shape in which all SDKs look for a message. */
export function sendError(outgoing: ServerResponse, status: number, message: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const error = { type: status < 500 ? "invalid_request_error" : "api_error", message };
  outgoing.writeHead(status, { "content-type": "application/json", "x-should-retry": "false" });
  outgoing.end(JSON.stringify({ type: "error", error }));
}
