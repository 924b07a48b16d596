import { HIDDEN_KEY, type Secret } from "../domain/redact.ts";
import { PROVIDER_TABLE, readVariable, type Variables } from "./table.ts";

/** The variables with keys of providers: those of the table, and others that the SDKs read. */
const PROVIDERS_OWN: ReadonlySet<string> = new Set([
  ...Object.values(PROVIDER_TABLE).flatMap((entry) => entry.variables(null).apiKey),
  "OPENAI_ADMIN_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "HUGGING_FACE_HUB_TOKEN",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_BEARER_TOKEN_BEDROCK",
]);

/** Every `openai-compatible:<name>` has a key of this name, and a checker may call any of them. */
const isProvidersOwn = (name: string): boolean => PROVIDERS_OWN.has(name) || name.endsWith("_API_KEY");

const soundsSecret = (name: string): boolean => /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i.test(name);

interface KnownSecrets {
  /** Secrets whose values may appear nowhere. */
  readonly all: readonly Secret[];
  /** Secrets that the agent may not see; the others were given to it. */
  readonly gateways: readonly Secret[];
}

/** Finds the secrets in the environment: keys of providers, and variables given to agent or checker that sound like one. */
export function knownSecrets(
  variables: Variables,
  agentVariables: readonly string[],
  checkerVariables: readonly string[] = [],
): KnownSecrets {
  const agents = new Set(agentVariables);
  const given = agents.union(new Set(checkerVariables));
  const all = Object.keys(variables).flatMap((name) => {
    const isSecret = isProvidersOwn(name) || (given.has(name) && soundsSecret(name));
    const value = isSecret ? readVariable(name, variables) : null;
    return value === null ? [] : [{ name, value }];
  });
  return { all, gateways: all.filter(({ name }) => !agents.has(name)) };
}

/** Names that change how Node or the system's loader starts a process. */
const STARTS = /^(?:NODE_|LD_|DYLD_|BASH_FUNC)/;
/** Somebody's name and password in an address. */
const PASSWORD_IN_URL = /:\/\/[^/\s]*@/;
/** Twenty letters and digits without a break, or a UUID. */
const LONG_WORD = /[A-Za-z0-9+=]{20,}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
/** From so many bits a letter, on average, it is random and not a word. */
const RANDOM_BITS = 3;

/** A path is not a secret; an address may end with one. */
const looksSecret = (value: string): boolean =>
  PASSWORD_IN_URL.test(value) ||
  value
    .split(/\s+/)
    .filter((part) => part.includes("://") || !part.includes("/"))
    .flatMap((part) => part.match(LONG_WORD) ?? [])
    .some((word) => /\d/.test(word) && /[A-Za-z]/.test(word) && bitsOf(word) >= RANDOM_BITS);

/** Shannon's entropy of a letter. */
function bitsOf(word: string): number {
  const counts = Map.groupBy(word, (letter) => letter).values();
  return -counts.reduce(
    (sum, { length }) => sum + (length / word.length) * Math.log2(length / word.length),
    0,
  );
}

/**
 * The variables that a definition sees while it is read. What may hold a key, by name or by value, stays set, to words
 * that are none: code may ask for it long before it is used, and must not take something else in its place.
 */
export function definitionVariables(variables: Variables): Record<string, string> {
  const seen = Object.entries(variables).flatMap(([name, value]) => {
    if (value === undefined || STARTS.test(name)) return [];
    const isHidden = isProvidersOwn(name) || soundsSecret(name) || looksSecret(value);
    if (!isHidden || KNOWN_PLACES.has(name)) return [[name, value] as const];
    return /_PROXY$/i.test(name) ? [] : [[name, HIDDEN_KEY] as const];
  });
  return Object.fromEntries(seen);
}

const KNOWN_PLACES: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "NODE_EXTRA_CA_CERTS",
]);
