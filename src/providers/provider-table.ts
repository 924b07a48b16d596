import type { ChatProvider } from "./contract.ts";
import { HUGGINGFACE_PROVIDERS } from "./huggingface-providers.ts";
import type { ProviderSettings, ProviderVariables } from "./provider-settings.ts";

export interface ProviderEntry {
  /** How its keys are written; what is in angle brackets is a name that the user chooses. */
  readonly keys: readonly string[];
  /** Whether a name follows the colon. */
  readonly named: "never" | "maybe" | "always";
  /** The names that there are, where the user cannot make up one. */
  readonly names?: readonly string[];
  variables(name: string | null): ProviderVariables;
  /** The module, and its SDK with it, is loaded when the first such provider is made. */
  load(): Promise<(settings: ProviderSettings) => ChatProvider>;
}

/** The providers that call a model over the network, by the first word of their key. */
export const PROVIDER_TABLE: Readonly<Record<string, ProviderEntry>> = {
  openai: {
    keys: ["openai"],
    named: "never",
    variables: () => ({ apiKey: ["OPENAI_API_KEY"], baseUrl: "OPENAI_BASE_URL", needs: ["apiKey"] }),
    load: async () => (await import("./openai.ts")).openaiProvider,
  },
  huggingface: {
    keys: ["huggingface", "huggingface:<provider>"],
    named: "maybe",
    names: HUGGINGFACE_PROVIDERS,
    variables: () => ({ apiKey: ["HF_TOKEN"], baseUrl: "HF_BASE_URL", needs: ["apiKey"] }),
    load: async () => (await import("./huggingface.ts")).huggingfaceProvider,
  },
  anthropic: {
    keys: ["anthropic"],
    named: "never",
    variables: () => ({ apiKey: ["ANTHROPIC_API_KEY"], baseUrl: "ANTHROPIC_BASE_URL", needs: ["apiKey"] }),
    load: async () => (await import("./anthropic.ts")).anthropicProvider,
  },
  gemini: {
    keys: ["gemini"],
    named: "never",
    variables: () => ({
      apiKey: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
      baseUrl: "GOOGLE_GEMINI_BASE_URL",
      needs: ["apiKey"],
    }),
    load: async () => (await import("./gemini.ts")).geminiProvider,
  },
  bedrock: {
    keys: ["bedrock"],
    named: "never",
    variables: () => ({ apiKey: [], baseUrl: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", needs: [] }),
    load: async () => (await import("./bedrock.ts")).bedrockProvider,
  },
  "openai-compatible": {
    keys: ["openai-compatible:<name>"],
    named: "always",
    variables: (name) => {
      const prefix = (name ?? "").toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
      return { apiKey: [`${prefix}_API_KEY`], baseUrl: `${prefix}_BASE_URL`, needs: ["baseUrl"] };
    },
    load: async () => (await import("./openai-compatible.ts")).openaiCompatibleProvider,
  },
};

export interface KnownProvider {
  readonly entry: ProviderEntry;
  readonly name: string | null;
}

export function findProvider(providerKey: string): KnownProvider | null {
  const [, word = "", name = null] = /^([^:]+)(?::([\w.-]+))?$/.exec(providerKey) ?? [];
  const entry = Object.hasOwn(PROVIDER_TABLE, word) ? PROVIDER_TABLE[word] : undefined;
  if (entry === undefined) return null;
  const mayBeNamed = entry.named !== "never" && (entry.names?.includes(name ?? "") ?? true);
  const mayBeBare = entry.named !== "always";
  return (name === null ? mayBeBare : mayBeNamed) ? { entry, name } : null;
}
