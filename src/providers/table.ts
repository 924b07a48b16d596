import type { ChatProvider, ProviderSettings } from "./provider.ts";

/** The providers of the Hugging Face SDK, repeated here so that a mistyped one is refused without loading it. */
export const HUGGINGFACE_PROVIDERS: readonly string[] = [
  "baseten",
  "cerebras",
  "cohere",
  "deepinfra",
  "fal-ai",
  "featherless-ai",
  "fireworks-ai",
  "groq",
  "hf-inference",
  "novita",
  "nscale",
  "openai",
  "ovhcloud",
  "publicai",
  "replicate",
  "scaleway",
  "together",
  "wavespeed",
  "zai-org",
  "auto",
];

interface ProviderEntry {
  /** Its keys, with a name that the user chooses in angle brackets. */
  readonly keys: readonly string[];
  /** Whether a name follows the colon. */
  readonly named: "never" | "maybe" | "always";
  /** The names that there are, where the user cannot make up one. */
  readonly names?: readonly string[];
  variables(name: string | null): ProviderVariables;
  /** The module, and its SDK with it, is loaded when the first such provider is made. */
  load(): Promise<(settings: ProviderSettings) => Required<ChatProvider>>;
}

/** The providers that call a model over the network, by the first word of their key. */
export const PROVIDER_TABLE: Readonly<Record<string, ProviderEntry>> = {
  openai: {
    keys: ["openai"],
    named: "never",
    variables: () => ({ apiKey: ["OPENAI_API_KEY"], baseUrl: "OPENAI_BASE_URL", needs: ["apiKey"] }),
    load: async () => (await import("./openai/openai.ts")).openaiProvider,
  },
  huggingface: {
    keys: ["huggingface", "huggingface:<provider>"],
    named: "maybe",
    names: HUGGINGFACE_PROVIDERS,
    variables: () => ({ apiKey: ["HF_TOKEN"], baseUrl: "HF_BASE_URL", needs: ["apiKey"] }),
    load: async () => (await import("./huggingface/huggingface.ts")).huggingfaceProvider,
  },
  anthropic: {
    keys: ["anthropic"],
    named: "never",
    variables: () => ({ apiKey: ["ANTHROPIC_API_KEY"], baseUrl: "ANTHROPIC_BASE_URL", needs: ["apiKey"] }),
    load: async () => (await import("./anthropic/anthropic.ts")).anthropicProvider,
  },
  gemini: {
    keys: ["gemini"],
    named: "never",
    variables: () => ({
      apiKey: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
      baseUrl: "GOOGLE_GEMINI_BASE_URL",
      needs: ["apiKey"],
    }),
    load: async () => (await import("./gemini/gemini.ts")).geminiProvider,
  },
  bedrock: {
    keys: ["bedrock"],
    named: "never",
    variables: () => ({ apiKey: [], baseUrl: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", needs: [] }),
    load: async () => (await import("./bedrock/bedrock.ts")).bedrockProvider,
  },
  "openai-compatible": {
    keys: ["openai-compatible:<name>"],
    named: "always",
    variables: (name) => {
      const prefix = (name ?? "").toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
      return { apiKey: [`${prefix}_API_KEY`], baseUrl: `${prefix}_BASE_URL`, needs: ["baseUrl"] };
    },
    load: async () => (await import("./openai/compatible.ts")).openaiCompatibleProvider,
  },
};

/** A provider, and what the environment says about it. */
interface FoundProvider {
  readonly entry: ProviderEntry;
  readonly variables: ProviderVariables;
  readonly settings: ProviderSettings;
  /** The variables that still have to be set, as in "A_KEY or B_KEY". */
  readonly missing: readonly string[];
}

/** Finds a provider by its key; null where there is none. The environment is read unless variables are given. */
export function findProvider(providerKey: string, variables?: Variables): FoundProvider | null {
  const [, word = "", name = null] = /^([^:]+)(?::([\w.-]+))?$/.exec(providerKey) ?? [];
  const entry = Object.hasOwn(PROVIDER_TABLE, word) ? PROVIDER_TABLE[word] : undefined;
  if (entry === undefined) return null;
  const mayBeNamed = entry.named !== "never" && (entry.names?.includes(name ?? "") ?? true);
  const mayBeBare = entry.named !== "always";
  if (name === null ? !mayBeBare : !mayBeNamed) return null;
  const needed = entry.variables(name);
  const keyVariable = needed.apiKey.find((variable) => readVariable(variable, variables) !== null);
  const settings = {
    providerKey,
    name,
    apiKey: keyVariable === undefined ? null : readVariable(keyVariable, variables),
    baseUrl: readVariable(needed.baseUrl, variables),
    keyVariable: keyVariable ?? needed.apiKey[0] ?? null,
  };
  const ways = { apiKey: needed.apiKey.join(" or "), baseUrl: needed.baseUrl };
  const missing = needed.needs.filter((what) => settings[what] === null).map((what) => ways[what]);
  return { entry, variables: needed, settings, missing };
}

/** The environment variables that set a provider up. */
interface ProviderVariables {
  /** Any one of them is enough; messages name the first. */
  readonly apiKey: readonly string[];
  readonly baseUrl: string;
  /** The variables that must be set. */
  readonly needs: readonly ("apiKey" | "baseUrl")[];
}

export type Variables = Readonly<Record<string, string | undefined>>;

export const environment: Variables = process.env;

/** The value of an environment variable; a blank one counts as not set. */
export function readVariable(name: string, variables: Variables = environment): string | null {
  const value = variables[name]?.trim();
  return value ? value : null;
}
