import * as z from "zod";

/** `provider/model`, or `provider/model@variant`: two providers of one model never merge, nor do two variants. */
export const ModelKey = z
  .string()
  .regex(/^[^\s#/]+\/[^\s#]+$/)
  .brand<"ModelKey">();
export type ModelKey = z.infer<typeof ModelKey>;

export interface Model {
  readonly providerKey: string;
  readonly model: string;
  /** The variant of the agent that it runs; a model with each of its variants has stats of its own. */
  readonly variant?: string | undefined;
}

/** The name of a variant. */
export const VariantName = z
  .string()
  .regex(/^[^\s#@/]{1,40}$/, "the name of a variant is one word without #, @ or /, of 40 characters at most");

export const ModelPair = z.tuple(
  [
    z.string().regex(/^[^\s#/]+$/, "a provider key is one word without / or #"),
    z.string().regex(/^[^\s#]+$/, "a model name is one word without #"),
  ],
  'expected a model as ["provider", "model"]',
);
export type ModelPair = readonly [providerKey: string, model: string];

export const modelKey = ({ providerKey, model, variant }: Model): ModelKey =>
  `${providerKey}/${model}${variant === undefined ? "" : `@${variant}`}` as ModelKey;

/** The model that is called and paid, whatever variant of the agent calls it. */
export const calledModel = ({ providerKey, model }: Model): Model => ({ providerKey, model });

/** The variant as a field of its own, which is not there where there is none. */
export const variantOf = ({ variant }: Model): { variant?: string } =>
  variant === undefined ? {} : { variant };

/** The part of a key that all variants of a model share. */
export const keyOfAllVariants = (key: ModelKey): string => key.replace(/@[^@/]*$/, "");

/** Reads `provider/model`; a model name may hold further slashes. */
export function readModelKey(text: string): Model | null {
  const slash = text.indexOf("/");
  const pair = ModelPair.safeParse([text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)]);
  return pair.success ? { providerKey: pair.data[0], model: pair.data[1] } : null;
}
