import * as z from "zod";
import { parseJson } from "../../domain/json.ts";
import { failedAnswer, streamedFailure } from "../../providers/failed-call.ts";
import { geminiFailure } from "../../providers/gemini/reply.ts";
import { type CallPlace, ProviderError } from "../../providers/provider.ts";
import { findProvider, readVariable, type Variables } from "../../providers/table.ts";
import type { Family, GatewayRoute } from "./request.ts";

/** The server that a call really goes to, and the key that the agent never sees. */
export interface Upstream extends CallPlace {
  readonly family: Family;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** Headers of this account's requests, beside the key. */
  readonly headers: Readonly<Record<string, string>>;
}

const COMPATIBLE = "openai-compatible:";

/** Names the account that a call is for: an SDK that speaks OpenAI's API serves a run with a compatible server too. */
export const upstreamKey = (family: Family, runProviderKey: string): string =>
  family === "openai" && runProviderKey.startsWith(COMPATIBLE) ? runProviderKey : family;

const DEFAULT_BASE_URLS: Readonly<Record<Family, string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com",
  gemini: "https://generativelanguage.googleapis.com",
};

/** Throws a ProviderError that names the variable to set. */
export function readUpstream(family: Family, providerKey: string, variables?: Variables): Upstream {
  const { settings, missing = [] } = findProvider(providerKey, variables) ?? {};
  if (missing.length > 0) {
    throw new ProviderError(
      "provider_error",
      `an SDK called ${providerKey}, which is not set up: set ${missing.join(" and ")}`,
      { retryable: false },
    );
  }
  return {
    providerKey,
    keyVariable: settings?.keyVariable ?? null,
    family,
    baseUrl: settings?.baseUrl ?? DEFAULT_BASE_URLS[family],
    apiKey: settings?.apiKey ?? null,
    headers: providerKey === "openai" ? accountHeaders(variables) : {},
  };
}

const ACCOUNT = { "openai-organization": "OPENAI_ORG_ID", "openai-project": "OPENAI_PROJECT_ID" };

function accountHeaders(variables: Variables | undefined): Record<string, string> {
  const headers = Object.entries(ACCOUNT).flatMap(([header, variable]) => {
    const value = readVariable(variable, variables);
    return value === null ? [] : [[header, value]];
  });
  return Object.fromEntries(headers);
}

/** OpenAI's base URLs have the version in them, those of the others do not. */
export function upstreamUrl({ family, baseUrl }: Upstream, route: GatewayRoute, search: string): string {
  const versions = { openai: "", anthropic: "v1/", gemini: `${route.version ?? "v1beta"}/` };
  const query = new URLSearchParams(search);
  query.delete("key");
  const asked = query.size === 0 ? "" : `?${query}`;
  return `${baseUrl.replace(/\/+$/, "")}/${versions[family]}${route.path}${asked}`;
}

/** The SDK's own headers that the server has to see; whatever else may hold a token stays here. */
const PASSED_ON = [
  "accept",
  "content-type",
  "user-agent",
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
  "x-goog-api-client",
];

export function upstreamHeaders(
  { family, apiKey, headers }: Upstream,
  given: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) =>
    given[name] === undefined ? [] : [[name, String(given[name])]],
  );
  return { ...Object.fromEntries(passed), ...headers, ...(apiKey === null ? {} : keyHeader(family, apiKey)) };
}

function keyHeader(family: Family, apiKey: string): Record<string, string> {
  switch (family) {
    case "openai":
      return { authorization: `Bearer ${apiKey}` };
    case "anthropic":
      return { "x-api-key": apiKey };
    case "gemini":
      return { "x-goog-api-key": apiKey };
  }
}

const ErrorInStream = z.object({
  message: z.string(),
  type: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
});

/** The error is in the piece, in its `response`, or the piece itself. */
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
  const { message, code } = readErrorBody(text);
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

const readErrorBody = (text: string): { message: string; code?: unknown } =>
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
