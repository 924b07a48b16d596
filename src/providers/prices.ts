import type { calcPrice, findProvider as FindProvider, findProvider } from "@pydantic/genai-prices";
import { type Model, modelKey } from "../domain/model.ts";
import { type CallUsage, costNanoUsd, type Price, type PriceList, toNanoUsd } from "../domain/run/usage.ts";
import { findProvider as findProviderOfPricedModel, type Variables } from "./table.ts";

interface PriceListInput {
  /** By `provider/model`; they win over what is known. */
  readonly own: Readonly<Record<string, Price>>;
  /** Prices change, and some depend on the hour. */
  readonly now: () => Date;
  /** The environment by default. */
  readonly variables?: Variables;
}

interface Table {
  readonly calcPrice: typeof calcPrice;
  readonly findProvider: typeof findProvider;
}

/** The user's own prices, and for all other models those of the table that comes with the evaluator. */
export function priceList({ own, now, variables }: PriceListInput): PriceList {
  let opening: Promise<void> | undefined;
  let opened: Table | undefined;
  const isOwn = (model: Model) => Object.hasOwn(own, modelKey(model));
  return {
    open(model) {
      if (opened !== undefined || isOwn(model) || !isPriced(model)) return null;
      // As large as an SDK, so it is loaded only when it is used.
      opening ??= import("@pydantic/genai-prices").then((table) => {
        opened = table;
      });
      return opening;
    },
    costNanoUsd(model, usage) {
      const price = isOwn(model) ? own[modelKey(model)] : undefined;
      if (price !== undefined) return costNanoUsd(usage, price);
      if (opened === undefined) return null;
      return lookUp(opened, pricedModel(model, opened.findProvider, variables), usage, now());
    },
  };
}

function lookUp(
  { calcPrice }: Table,
  priced: PricedModel | null,
  usage: CallUsage,
  timestamp: Date,
): number | null {
  if (priced === null) return null;
  const { model, providerId } = priced;
  try {
    const found = calcPrice(toTableUsage(usage), model, { providerId, timestamp });
    return found === null ? null : toNanoUsd(found.total_price);
  } catch {
    // A price that cannot be worked out is as good as none.
    return null;
  }
}

/** The table's names; a part may not be larger than its whole there. */
function toTableUsage(usage: CallUsage) {
  const { cachedInputTokens, cacheWriteTokens = 0, cacheWriteHourTokens = 0, outputTokens } = usage;
  return {
    input_tokens: Math.max(usage.inputTokens, cachedInputTokens + cacheWriteTokens),
    cache_read_tokens: cachedInputTokens,
    cache_write_tokens: cacheWriteTokens,
    cache_write_1h_tokens: Math.min(cacheWriteHourTokens, cacheWriteTokens),
    output_tokens: outputTokens,
    output_reasoning_tokens: Math.min(usage.reasoningTokens, outputTokens),
  };
}

/** A model under the names by which the table of prices knows it. */
interface PricedModel {
  readonly providerId: string;
  readonly model: string;
}

/** Whether a model may have a list price. */
const isPriced = ({ providerKey }: Model): boolean => findProviderOfPricedModel(providerKey) !== null;

/** Null where the price of the model cannot be known. */
function pricedModel(
  { providerKey, model }: Model,
  findInTable: typeof FindProvider,
  variables?: Variables,
): PricedModel | null {
  const found = findProviderOfPricedModel(providerKey, variables);
  if (found === null) return null;
  const { baseUrl, name } = found.settings;
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
