import { readVariable, type Variables } from "./keys.ts";

/** Which variables a provider is set up with. */
export interface ProviderVariables {
  /** Any one of them will do; the first is the one to tell users about. */
  readonly apiKey: readonly string[];
  readonly baseUrl: string;
  /** What it cannot do without. */
  readonly needs: readonly ("apiKey" | "baseUrl")[];
}

/** What a provider is made from. */
export interface ProviderSettings {
  readonly providerKey: string;
  /** What follows the colon in the key, as in `huggingface:together`. */
  readonly name: string | null;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly keyVariable: string | null;
}

export function readSettings(
  providerKey: string,
  name: string | null,
  needed: ProviderVariables,
  variables?: Variables,
): ProviderSettings {
  const found = needed.apiKey.find((variable) => readVariable(variable, variables) !== null);
  return {
    providerKey,
    name,
    apiKey: found === undefined ? null : readVariable(found, variables),
    baseUrl: readVariable(needed.baseUrl, variables),
    keyVariable: found ?? needed.apiKey[0] ?? null,
  };
}

/** The variables that somebody still has to set, each as the words of an instruction. */
export function missingVariables(settings: ProviderSettings, needed: ProviderVariables): string[] {
  const ways = { apiKey: needed.apiKey.join(" or "), baseUrl: needed.baseUrl };
  return needed.needs.filter((what) => settings[what] === null).map((what) => ways[what]);
}
