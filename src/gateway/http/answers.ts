import type { ServerResponse } from "node:http";
import * as z from "zod";
import { parseJson } from "../../domain/json.ts";
import { failedAnswer } from "../../providers/failed-call.ts";
import { geminiFailure } from "../../providers/gemini/reply.ts";
import type { CallPlace } from "../../providers/provider.ts";
import type { ProviderError } from "../../providers/provider-error.ts";
import type { Upstream } from "./upstream.ts";

const Told = z.object({
  message: z.string(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});
type Told = z.infer<typeof Told>;

/** Where the protocols put it: in the piece, in its `response`, or the piece is the error itself. */
const Failed = z.union([
  z.object({ error: Told }).transform(({ error }) => error),
  z.object({ response: z.object({ error: Told }) }).transform(({ response }) => response.error),
  Told.extend({ type: z.literal("error") }),
]);

/** The status that the same error has where it comes before the stream. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  overloaded_error: 529,
};

/** An error that comes within a stream, after the status had said that all is well; null for any other piece. */
export function failureIn(place: CallPlace, piece: unknown): ProviderError | null {
  const { data } = Failed.safeParse(piece);
  if (data === undefined) return null;
  return failedAnswer(place, { status: statusOf(data), message: data.message, code: data.code });
}

function statusOf({ code, type }: Told): number {
  if (typeof code === "number") return code;
  return STATUSES[code ?? ""] ?? STATUSES[type ?? ""] ?? 500;
}

/** An answer of the real server that is no reply, as it goes on to the agent and as we understand it. */
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
  const text = hide(await readText(answer));
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
