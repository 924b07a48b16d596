import type { findProvider as FindProvider } from "@pydantic/genai-prices";
import type { Model } from "../domain/model.ts";
import type { Variables } from "./keys.ts";
import { readSettings } from "./provider-settings.ts";
import { findProvider } from "./provider-table.ts";

/** A model under the names by which the table of prices knows it. */
export interface PricedModel {
  readonly providerId: string;
  readonly model: string;
}

/** Whether such a model may have a price that everybody pays. */
export const isPriced = ({ providerKey }: Model): boolean => findProvider(providerKey) !== null;

/** Null where nobody can know what the model costs there. */
export function pricedModel(
  { providerKey, model }: Model,
  findInTable: typeof FindProvider,
  variables?: Variables,
): PricedModel | null {
  const known = findProvider(providerKey);
  if (known === null) return null;
  const { entry, name } = known;
  const { baseUrl } = readSettings(providerKey, name, entry.variables(name), variables);
  // Who serves the model sets its price, such as OpenRouter under an OPENAI_BASE_URL.
  const server = baseUrl === null ? undefined : findInTable({ providerApiUrl: baseUrl });
  if (server !== undefined) return { providerId: server.id, model: bareName(model) };
  const [word = ""] = providerKey.split(":", 1);
  if (word === "huggingface") return behindRouter(name, model);
  const providerId = TABLE_IDS[word];
  return providerId === undefined ? null : { providerId, model: bareName(model) };
}

const TABLE_IDS: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  gemini: "google",
  bedrock: "aws",
};

/** Hugging Face passes on the price of the provider that it calls, which the model's name may say too. */
function behindRouter(provider: string | null, model: string): PricedModel | null {
  const [bare = model, chosen] = model.split(":", 2);
  const id = provider ?? chosen;
  return id === undefined ? null : { providerId: `huggingface_${id}`, model: bare };
}

/** Without the path that Gemini and Bedrock also take before a model's name. */
const bareName = (model: string): string => model.replace(/^(?:arn:[^/]*|models)\//, "");
