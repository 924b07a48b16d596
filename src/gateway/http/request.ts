import type { IncomingMessage, ServerResponse } from "node:http";
import { addAbortSignal } from "node:stream";
import { excessOf, Json, parseJson } from "../../domain/json.ts";
import type { Admitted } from "./connections.ts";

/** Long conversations with images stay far below it. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

/** A request that the gateway passes on. */
export interface ModelRequest {
  readonly kind: "request";
  readonly route: GatewayRoute;
  readonly body: Buffer;
  /** The parsed body; null where no model is called. */
  readonly request: Json | null;
}

interface RefusedRequest {
  readonly kind: "refused";
  readonly status: number;
  readonly message: string;
}

/** Reads what an agent's SDK asks for, or says what is wrong with it. */
export async function readCall(
  incoming: IncomingMessage,
  { pathname }: URL,
  signal: AbortSignal,
  admitted: Admitted,
): Promise<ModelRequest | RefusedRequest> {
  const method = incoming.method ?? "";
  const route = findRoute(method, pathname);
  const body = await readBody(addAbortSignal(signal, incoming), admitted);
  if (route === null) return refused(404, unknownPlace(method, pathname));
  if (body === null) return refused(413, TOO_LARGE);
  if (route.protocol === null) return { kind: "request", route, body, request: null };
  const excess = excessOf(body);
  if (excess !== null) return refused(400, `the request ${excess}, which is more than the gateway accepts`);
  const request = Json.safeParse(parseJson(body.toString("utf8"))).data ?? null;
  if (request === null) return refused(400, `the body of ${method} ${pathname} is not JSON`);
  return { kind: "request", route, body, request };
}

/** SDKs send their key where their own server looks for it. */
export function tokenOf({ headers }: Pick<IncomingMessage, "headers">, { searchParams }: URL): string {
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  return String(bearer ?? headers["x-api-key"] ?? headers["x-goog-api-key"] ?? searchParams.get("key") ?? "");
}

const refused = (status: number, message: string): RefusedRequest => ({ kind: "refused", status, message });

const TOO_LARGE = `the request is larger than ${MAX_REQUEST_BYTES / 1024 / 1024} MB, or the run's requests in progress are larger than 256 MB together; send a shorter conversation, smaller images or fewer calls at once`;

const unknownPlace = (method: string, pathname: string): string =>
  `the gateway does not pass on ${method} ${pathname}; it takes only model calls: chat/completions, responses, ` +
  "completions, embeddings and models under the base URL for OpenAI, messages and models under that for Anthropic, " +
  "models/<model>:generateContent, :streamGenerateContent, :embedContent and :countTokens under that for Gemini";

/** Null if it is too large; it is read to its end even then, because a client that still writes hears no answer. */
async function readBody(incoming: AsyncIterable<Buffer>, { hold }: Admitted): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isTooLarge = false;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    isTooLarge ||= bytes > MAX_REQUEST_BYTES || !hold(chunk.length);
    if (isTooLarge) chunks.length = 0;
    else chunks.push(chunk);
  }
  return isTooLarge ? null : Buffer.concat(chunks);
}

/** Name of the API that an agent's SDK speaks; each has its own base URL. */
export type Family = "openai" | "anthropic" | "gemini";

/** The form of the requests and replies of a model call. */
export type Protocol = "chat" | "responses" | "messages" | "gemini";

export interface GatewayRoute {
  readonly family: Family;
  /** Null where no model is called and nothing is charged, as in a list of models. */
  readonly protocol: Protocol | null;
  /** As the SDK wrote it, if it did. */
  readonly version: string | null;
  /** The rest after the version, without a slash in front, made of its parts. */
  readonly path: string;
  /** Null where the model is named in the body. */
  readonly model: string | null;
}

type Endpoint = readonly [family: Family, method: "GET" | "POST", path: RegExp, protocol: Protocol | null];

/** Nothing else is let through: a key may do more than call models, and what is not known cannot be metered. */
const ENDPOINTS: readonly Endpoint[] = [
  ["openai", "POST", /^chat\/completions$/, "chat"],
  // Both report what they used in the same way.
  ["openai", "POST", /^(?:completions|embeddings)$/, "chat"],
  ["openai", "POST", /^responses$/, "responses"],
  ["openai", "GET", /^models(?:\/([^/]+))?$/, null],
  ["anthropic", "POST", /^messages$/, "messages"],
  ["anthropic", "POST", /^messages\/count_tokens$/, null],
  ["anthropic", "GET", /^models(?:\/([^/]+))?$/, null],
  ["gemini", "POST", /^models\/([^/:]+):(?:streamGenerateContent|generateContent)$/, "gemini"],
  ["gemini", "POST", /^models\/([^/:]+):(?:embedContent|batchEmbedContents)$/, "gemini"],
  ["gemini", "POST", /^models\/([^/:]+):countTokens$/, null],
  ["gemini", "GET", /^models(?:\/([^/]+))?$/, null],
];

/** SDKs differ in whether the version is part of the base URL, so it may be missing or be there twice. */
const PLACE = /^\/(openai|anthropic|gemini)((?:\/v\d+\w*)*)\/(.+)$/;

/** Finds what a request asks for; null where it is nothing that the gateway passes on. */
export function findRoute(method: string, pathname: string): GatewayRoute | null {
  const [, family, versions = "", asked = ""] = PLACE.exec(pathname) ?? [];
  for (const [of, by, pattern, protocol] of ENDPOINTS) {
    const match = of === family && by === method ? pattern.exec(asked) : null;
    if (match === null) continue;
    const [, segment] = match;
    const model = segment === undefined ? null : readModelName(segment);
    if (segment !== undefined && model === null) return null;
    // Written anew: the server takes it for nothing but what was read here.
    const path = asked.replace(segment ?? "", () => encodeURIComponent(model ?? "").replaceAll("%3A", ":"));
    return { family: of, protocol, version: versions.split("/").at(-1) || null, path, model };
  }
  return null;
}

/** Names such as `ft:gpt-4o:org::id` and `org/model`; null for what could lead a server to another place. */
function readModelName(segment: string): string | null {
  try {
    const name = decodeURIComponent(segment);
    return MODEL_NAME.test(name) ? name : null;
  } catch {
    return null; // A % that escapes nothing.
  }
}

const MODEL_NAME = /^(?!\.{0,2}(?:\/|$))[\w .:@~+-]+(?:\/(?!\.{0,2}(?:\/|$))[\w .:@~+-]+)*$/;

/** Sends an error of the gateway itself, in the shape in which all SDKs look for a message. */
export function sendError(outgoing: ServerResponse, status: number, message: string): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  const error = { type: status < 500 ? "invalid_request_error" : "api_error", message };
  // What other calls of the same run stand in the way of may be tried again.
  const again = { "x-should-retry": String(status === 429) };
  outgoing.writeHead(status, { "content-type": "application/json", ...again });
  outgoing.end(JSON.stringify({ type: "error", error }));
}
