import { type Model, ModelPair, modelKey } from "../domain/model.ts";
import { isKnownProvider, whyUnknown } from "../providers/factory.ts";
import { askedProviders } from "./asked-providers.ts";
import type { EvaluationOptions } from "./definition.ts";

interface NamedModel extends Model {
  readonly where: string;
}

/** What is wrong with the models that are written as models, also where other options are wrong. */
export function modelTrouble(options: EvaluationOptions | null | undefined): string[] {
  const models = namedModels(options?.models);
  return [...repeatedModels(models), ...unknownProviders(models, options)];
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
    if (seen.has(key)) return [`${where}: ${key} is given twice; use \`trials\` to repeat runs`];
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
