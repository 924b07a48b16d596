/** Whose API an agent's SDK speaks; each has its own base URL. */
export type Family = "openai" | "anthropic" | "gemini";

/** How requests and replies of a model call are written. */
export type Protocol = "chat" | "responses" | "messages" | "gemini";

export interface Route {
  readonly family: Family;
  /** Null where no model is called and nothing is charged, as in a list of models. */
  readonly protocol: Protocol | null;
  /** As the SDK wrote it, if it did. */
  readonly version: string | null;
  /** What follows the version, without a slash in front. */
  readonly path: string;
  /** Where the model stands in the path; elsewhere it stands in the body. */
  readonly model: string | null;
}

type Endpoint = readonly [family: Family, method: "GET" | "POST", path: RegExp, protocol: Protocol | null];

/** Nothing else is let through: a key may do more than call models, and what is not known cannot be metered. */
const ENDPOINTS: readonly Endpoint[] = [
  ["openai", "POST", /^chat\/completions$/, "chat"],
  // Both report what they used in the same way.
  ["openai", "POST", /^(?:completions|embeddings)$/, "chat"],
  ["openai", "POST", /^responses$/, "responses"],
  ["openai", "GET", /^models(?:\/[^/]+)?$/, null],
  ["anthropic", "POST", /^messages$/, "messages"],
  ["anthropic", "POST", /^messages\/count_tokens$/, null],
  ["anthropic", "GET", /^models(?:\/[^/]+)?$/, null],
  ["gemini", "POST", /^models\/([^/:]+):(?:streamGenerateContent|generateContent)$/, "gemini"],
  ["gemini", "POST", /^models\/([^/:]+):(?:embedContent|batchEmbedContents)$/, "gemini"],
  ["gemini", "POST", /^models\/[^/:]+:countTokens$/, null],
  ["gemini", "GET", /^models(?:\/[^/]+)?$/, null],
];

/** SDKs differ in whether the version is part of the base URL, so it may be missing or be there twice. */
const PLACE = /^\/(openai|anthropic|gemini)((?:\/v\d+\w*)*)\/(.+)$/;

/** What a request asks for; null where it is nothing that the gateway passes on. */
export function findRoute(method: string, pathname: string): Route | null {
  const [, family, versions = "", path = ""] = PLACE.exec(pathname) ?? [];
  for (const [of, by, pattern, protocol] of ENDPOINTS) {
    const match = of === family && by === method ? pattern.exec(path) : null;
    if (match === null) continue;
    const version = versions.split("/").at(-1) || null;
    return { family: of, protocol, version, path, model: decode(match[1]) };
  }
  return null;
}

function decode(segment: string | undefined): string | null {
  if (segment === undefined) return null;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // A % that escapes nothing; the provider says what it thinks of it.
  }
}
