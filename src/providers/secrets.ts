import type { Secret } from "../domain/redact.ts";
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
