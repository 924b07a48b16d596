import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { Model, ModelKey } from "../../domain/model.ts";

const keyOf = ({ providerKey, model }: Model): ModelKey => `${providerKey}/${model}` as ModelKey;

/** The keys of an evaluation's models, in its order. */
export const modelKeys = ({ models }: Pick<EvaluationRecord, "models">): readonly ModelKey[] =>
  models.map(keyOf);
