import * as z from "zod";

/** `provider/model`: two providers of one model never merge. */
export const ModelKey = z
  .string()
  .regex(/^[^\s#/]+\/[^\s#]+$/)
  .brand<"ModelKey">();
export type ModelKey = z.infer<typeof ModelKey>;

export interface Model {
  readonly providerKey: string;
  readonly model: string;
}

export const ModelPair = z.tuple(
  [
    z.string().regex(/^[^\s#/]+$/, "a provider key is one word without / or #"),
    z.string().regex(/^[^\s#]+$/, "a model name is one word without #"),
  ],
  'expected a model as ["provider", "model"]',
);
export type ModelPair = readonly [providerKey: string, model: string];

export const modelKey = (model: Model): ModelKey => `${model.providerKey}/${model.model}` as ModelKey;

/** Reads `provider/model`; a model name may hold further slashes. */
export function readModelKey(text: string): Model | null {
  const slash = text.indexOf("/");
  const pair = ModelPair.safeParse([text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)]);
  return pair.success ? { providerKey: pair.data[0], model: pair.data[1] } : null;
}
