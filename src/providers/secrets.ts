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
/** A value with somebody's name and password in an address, or of a dozen letters and digits that make no word. */
const LOOKS_SECRET = /:\/\/[^/\s]*@|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9+/=]{12}/;

/**
 * The variables that a definition sees while it is read: all but those that may hold a key, by name or by value. A key
 * that is set stays set, to words that are none, because code may ask for it long before it is used.
 */
export function definitionVariables(variables: Variables): Record<string, string> {
  const seen = Object.entries(variables).flatMap(([name, value]) => {
    if (value === undefined || STARTS.test(name)) return [];
    const isKey = isProvidersOwn(name) || soundsSecret(name);
    if (isKey) return [[name, HIDDEN_KEY] as const];
    return KNOWN_PLACES.has(name) || !LOOKS_SECRET.test(value) ? [[name, value] as const] : [];
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
