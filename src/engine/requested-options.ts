import { type ModelPair, readModelKey } from "../domain/model.ts";
import type { StartRequest } from "./contract.ts";
import type { EvaluationOptions } from "./definition.ts";

/** A definition's options with what a request says instead; `problemIds` are left to whoever reads the problems. */
export function requestedOptions(
  options: EvaluationOptions,
  request: Omit<StartRequest, "evaluation">,
): EvaluationOptions {
  const { models, problems, trials, concurrency, limits, budget, tags } = request;
  return {
    ...options,
    ...(models === undefined ? {} : { models: models.map(toPair) }),
    ...(problems === undefined ? {} : { problems }),
    ...(trials === undefined ? {} : { trials }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(limits === undefined ? {} : { limits: { ...options.limits, ...withoutGaps(limits) } }),
    ...(budget === undefined ? {} : { budget }),
    ...(tags === undefined ? {} : { tags: [...new Set([...(options.tags ?? []), ...tags])] }),
  };
}

function toPair(model: NonNullable<StartRequest["models"]>[number]): ModelPair {
  if (typeof model !== "string") return model;
  const { providerKey, model: name } = readModelKey(model) ?? { providerKey: model, model: "" };
  return [providerKey, name];
}

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

const withoutGaps = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
