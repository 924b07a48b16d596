import { ModelPair } from "../domain/model.ts";
import { checkKeys } from "../providers/factory.ts";
import type { EvaluationOptions } from "./definition.ts";

/** Throws unless every model's provider has its key; a `providerFactory` of the user's own knows by itself what it needs. */
export function checkModelKeys(
  ...evaluations: readonly Pick<EvaluationOptions, "models" | "providerFactory">[]
): void {
  const models = evaluations.flatMap(({ models, providerFactory }) =>
    providerFactory === undefined ? models : [],
  );
  // What is not a model at all is refused, with all its reasons, when the definition is read.
  checkKeys(models.flatMap((model) => ModelPair.safeParse(model).data?.[0] ?? []));
}
