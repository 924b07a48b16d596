import { type Model, type ModelKey, modelKey } from "../domain/model.ts";
import type { PriceList } from "../domain/price.ts";
import { NO_USAGE } from "../domain/usage.ts";

/** Models of which nobody knows what a call costs. */
export async function unpricedModels(prices: PriceList, models: readonly Model[]): Promise<ModelKey[]> {
  await Promise.all(models.map((model) => prices.open(model)));
  return models.filter((model) => prices.costNanoUsd(model, NO_USAGE) === null).map(modelKey);
}
