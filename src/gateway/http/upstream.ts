import { type CallPlace, ProviderError } from "../../providers/provider.ts";
import { findProvider, readVariable, type Variables } from "../../providers/table.ts";
import type { Family, GatewayRoute } from "./request.ts";

/** The server that a call really goes to, and the key that the agent never sees. */
export interface Upstream extends CallPlace {
  readonly family: Family;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** What this account's requests carry beside the key. */
  readonly headers: Readonly<Record<string, string>>;
}

const COMPATIBLE = "openai-compatible:";

/** Whose account a call is for: an SDK that speaks OpenAI's API serves a run with a compatible server too. */
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
      `the agent's SDK called ${providerKey}, which is not set up: set ${missing.join(" and ")}`,
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

function accountHeaders(variables: Variables | undefined): Record<string, string> {
  const organization = readVariable("OPENAI_ORG_ID", variables);
  const project = readVariable("OPENAI_PROJECT_ID", variables);
  return {
    ...(organization === null ? {} : { "openai-organization": organization }),
    ...(project === null ? {} : { "openai-project": project }),
  };
}

/** OpenAI's base URLs have the version in them, those of the others do not. */
export function upstreamUrl({ family, baseUrl }: Upstream, route: GatewayRoute, search: string): string {
  const versions = { openai: "", anthropic: "v1/", gemini: `${route.version ?? "v1beta"}/` };
  const query = new URLSearchParams(search);
  query.delete("key");
  const asked = query.size === 0 ? "" : `?${query}`;
  return `${baseUrl.replace(/\/+$/, "")}/${versions[family]}${route.path}${asked}`;
}

/** What of an SDK's own headers the server has to see; whatever else may hold a token stays here. */
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
  const passed = PASSED_ON.flatMap((name): [string, string][] => {
    const value = given[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
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
