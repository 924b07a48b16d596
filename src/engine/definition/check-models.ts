import * as z from "zod";
import { type Model, ModelPair, modelKey } from "../../domain/model.ts";
import { checkKeys, findMissing, isKnownProvider, whyUnknown } from "../../providers/built-in.ts";
import { withBaseUrls } from "../../providers/model-options.ts";
import type { EvaluationOptions } from "./definition.ts";

interface NamedModel extends Model {
  readonly where: string;
}

/** Says what is wrong with the models that are written as models, also where other options are wrong. */
export function modelTrouble(options: EvaluationOptions | null | undefined): string[] {
  const models = namedModels(options?.models);
  return [...repeatedModels(models), ...unknownProviders(models, options), ...optionTrouble(options)];
}

const namedModels = (models: unknown): NamedModel[] =>
  (Array.isArray(models) ? models : []).flatMap((item, index) => {
    const pair = ModelPair.safeParse(item).data;
    return pair === undefined ? [] : [{ where: `models[${index}]`, providerKey: pair[0], model: pair[1] }];
  });

function repeatedModels(models: readonly NamedModel[]): string[] {
  const seen = new Set<string>();
  return models.flatMap(({ where, ...model }) => {
    const key = modelKey(model);
    if (seen.has(key))
      return [
        `${where}: ${key} is given twice; \`trials\` repeats runs, \`variants\` compares prompts or settings`,
      ];
    seen.add(key);
    return [];
  });
}

function unknownProviders(
  models: readonly NamedModel[],
  options: EvaluationOptions | null | undefined,
): string[] {
  if (!options || options.providerFactory !== undefined) return [];
  const asked = askedProviders(options).map((providerKey) => ({ where: "resultChecker", providerKey }));
  return [...models, ...asked].flatMap(({ where, providerKey }) =>
    isKnownProvider(providerKey) ? [] : [`${where}: ${whyUnknown(providerKey)}`],
  );
}

/** Options that no call would have. */
function optionTrouble(options: EvaluationOptions | null | undefined): string[] {
  const { modelOptions, providerFactory } = options ?? {};
  return Object.entries(Object(modelOptions) as object).flatMap(([key, given]: [string, unknown]) => {
    const [providerKey = "", model] = key.split(/\/(.*)/, 2);
    const where = `modelOptions[${JSON.stringify(key)}]`;
    if (providerFactory === undefined && !isKnownProvider(providerKey))
      return [`${where}: ${whyUnknown(providerKey)}`];
    const isMisplaced = model !== undefined && Object(given).baseUrl !== undefined;
    return isMisplaced
      ? [`${where}.baseUrl: it belongs to the provider, not to one model; set it under "${providerKey}"`]
      : [];
  });
}

type Asking = Pick<EvaluationOptions, "models" | "resultChecker" | "providerFactory" | "modelOptions">;

/**
 * Throws unless every provider of a model, or of a checker that says whom it asks, has its key; a `providerFactory` of
 * the user's own knows by itself what it needs.
 */
export function checkModelKeys(...evaluations: readonly Asking[]): void {
  const builtIn = evaluations.filter(({ providerFactory }) => providerFactory === undefined);
  const lacking = builtIn.flatMap((options) =>
    findMissing(
      [...providersOf(options), ...askedProviders(options)],
      withBaseUrls(options.modelOptions ?? {}),
    ),
  );
  checkKeys(lacking.map(({ key }) => key));
}

// What is not a model at all is refused, with all its reasons, when the definition is read.
const providersOf = ({ models }: Asking): string[] =>
  models.flatMap((model) => ModelPair.safeParse(model).data?.[0] ?? []);

const Asks = z.array(z.string()).catch([]);

/** Keys of the providers that the checker says it asks; most ask nobody, and not each that does says so. */
const askedProviders = ({ resultChecker }: Pick<EvaluationOptions, "resultChecker">): string[] =>
  Asks.parse(Reflect.get(Object(resultChecker), "asks"));
