import type { IncomingMessage } from "node:http";
import { addAbortSignal } from "node:stream";
import { Json, MAX_TEXT_LEVELS } from "../domain/json.ts";
import { levelsOf } from "../domain/json-levels.ts";
import { parseJson } from "../domain/parse-json.ts";
import { findRoute, type Route } from "./http-gateway-routes.ts";

/** Long conversations with images stay far below it. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;

export type AskedCall =
  | {
      readonly kind: "asked";
      readonly route: Route;
      readonly body: Buffer;
      /** The body as it was read; null where no model is called. */
      readonly request: Json | null;
    }
  | { readonly kind: "refused"; readonly status: number; readonly message: string };

/** Reads what an agent's SDK asks for, or says what is wrong with it. */
export async function readCall(
  incoming: IncomingMessage,
  { pathname }: URL,
  signal: AbortSignal,
): Promise<AskedCall> {
  const method = incoming.method ?? "";
  const route = findRoute(method, pathname);
  const body = await readBody(addAbortSignal(signal, incoming));
  if (route === null) return refused(404, unknownPlace(method, pathname));
  if (body === null) return refused(413, TOO_LARGE);
  if (route.protocol === null) return { kind: "asked", route, body, request: null };
  if (levelsOf(body) > MAX_TEXT_LEVELS) return refused(400, TOO_DEEP);
  const request = Json.safeParse(parseJson(body.toString("utf8"))).data ?? null;
  if (request === null) return refused(400, `the body of ${method} ${pathname} is no JSON`);
  return { kind: "asked", route, body, request };
}

/** SDKs send their key where their own server looks for it. */
export function tokenOf({ headers }: Pick<IncomingMessage, "headers">, { searchParams }: URL): string {
  const [, bearer] = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  return String(bearer ?? headers["x-api-key"] ?? headers["x-goog-api-key"] ?? searchParams.get("key") ?? "");
}

const refused = (status: number, message: string): AskedCall => ({ kind: "refused", status, message });

const TOO_LARGE = `the request has more than ${MAX_REQUEST_BYTES / 1024 / 1024} MB, which is more than the gateway takes; send a shorter conversation or smaller images`;

const TOO_DEEP = `the request is nested deeper than ${MAX_TEXT_LEVELS} levels, which is deeper than the gateway takes`;

const unknownPlace = (method: string, pathname: string): string =>
  `the gateway does not pass on ${method} ${pathname}; it takes model calls alone: chat/completions, responses, ` +
  "completions, embeddings and models under the base URL for OpenAI, messages and models under that for Anthropic, " +
  "models/<model>:generateContent, :streamGenerateContent, :embedContent and :countTokens under that for Gemini";

/** Null if it is too large; it is read to its end even then, because a client that still writes hears no answer. */
async function readBody(incoming: AsyncIterable<Buffer>): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) chunks.length = 0;
    else chunks.push(chunk);
  }
  return bytes > MAX_REQUEST_BYTES ? null : Buffer.concat(chunks);
}
