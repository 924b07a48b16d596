import * as z from "zod";
import { Json } from "../domain/json.ts";
import { type Model, modelKey } from "../domain/model.ts";
import { type CallOptions, ChatRequest } from "./provider.ts";
import { environment, findProvider, type Variables } from "./table.ts";
import { mergeFields } from "./wire.ts";

const Settings = ChatRequest.pick({
  maxTokens: true,
  temperature: true,
  topP: true,
  seed: true,
  stop: true,
  reasoningEffort: true,
  serviceTier: true,
});

/** The fields of a request that decide what is asked of whom, and how the answer comes. */
const OUR_FIELDS = ["model", "modelId", "messages", "input", "contents", "system", "instructions", "stream"];
const Body = z
  .record(z.string(), Json)
  .refine(
    (body) => !OUR_FIELDS.some((name) => Object.hasOwn(body, name)),
    `expected fields that the agent does not set itself, which are ${OUR_FIELDS.join(", ")}`,
  );
const HeaderName = z.string().regex(/^[\w-]+$/, "expected the name of a header");

/** Options for the calls of a provider or a model. */
export const ModelOptions = z.strictObject({
  ...Settings.shape,
  /** Added to the headers of a request. */
  headers: z.record(HeaderName, z.string()).optional(),
  /** Further fields of a request, as the provider's own documentation has them; objects are merged, lists joined. */
  body: Body.optional(),
  /** In place of the environment's; only for a provider. */
  baseUrl: z.url({ protocol: /^https?$/, error: "expected a URL with http or https" }).optional(),
});
export type ModelOptions = z.infer<typeof ModelOptions>;

/** Options by `provider`, or by `provider/model`, which wins. */
export type OptionsByModel = Readonly<Record<string, ModelOptions>>;

/** One call as it is sent: what the request says wins over the options for its model, and those over its provider's. */
export function withModelOptions(
  all: OptionsByModel,
  model: Model,
  request: ChatRequest,
): { readonly request: ChatRequest; readonly extras: CallExtras } {
  const given = [all[model.providerKey], all[modelKey(model)]].filter((options) => options !== undefined);
  const settings = given.map((options) => Settings.parse(options));
  return {
    request: Object.assign({}, ...settings, request),
    extras: {
      headers: Object.assign({}, ...given.map(({ headers }) => headers)),
      body: given.reduce<CallExtras["body"]>((body, options) => mergeFields(body, options.body), {}),
    },
  };
}

export type CallExtras = Required<Pick<CallOptions, "headers" | "body">>;

/** The environment with base URLs that are given for providers in place of its own. */
export function withBaseUrls(given: OptionsByModel, variables: Variables = environment): Variables {
  const own = Object.entries(given).flatMap(([key, { baseUrl }]) => {
    const found = baseUrl === undefined ? null : findProvider(key, variables);
    return found === null ? [] : [[found.variables.baseUrl, baseUrl] as const];
  });
  return own.length === 0 ? variables : { ...variables, ...Object.fromEntries(own) };
}
