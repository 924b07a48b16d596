import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { type Model, type ModelPair, modelKey, readModelKey } from "../../domain/model.ts";
import type { DefinitionSummary, GrowRequest, StartRequest } from "../engine.ts";
import type { ProblemChoice } from "./choose-problems.ts";
import type { EvaluationOptions } from "./definition.ts";
import { checkOptions } from "./read-definition.ts";

/** Summarizes a definition for people who may start it; problems that can be read only once are not counted. */
export function summarizeDefinition(options: EvaluationOptions): DefinitionSummary {
  const { name, models, trials, concurrency, limits, tags, schedule } = checkOptions(options);
  return {
    name,
    models: models.map(modelKey),
    problemCount: countOf(options.problems),
    trials,
    concurrency,
    limits,
    tags,
    schedule: schedule ?? null,
  };
}

/** A list says how many it has, also one that is read only later. */
const countOf = (problems: EvaluationOptions["problems"]): number | null =>
  "length" in problems && typeof problems.length === "number" ? problems.length : null;

/** A definition's options for an evaluation that goes on and may grow; what nobody asks for stays as it was. */
export function grownOptions(
  options: EvaluationOptions,
  stored: EvaluationRecord,
  request: GrowRequest,
): EvaluationOptions {
  const asked = requestedOptions(options, request);
  const isMeant = (name: "models" | "variants" | "trials") =>
    request.fromDefinition || request[name] !== undefined;
  const budget = request.budget ?? stored.budget ?? options.budget;
  return {
    ...asked,
    ...united(plannedRows(options, stored.models), asked, isMeant),
    trials: Math.max(stored.trials, (isMeant("trials") ? asked.trials : undefined) ?? 1),
    tags: [...new Set([...stored.tags, ...(asked.tags ?? [])])],
    ...(budget === undefined ? {} : { budget }),
  };
}

/** Chooses the definition's problems that it may have in addition. */
export function grownChoice({ problemIds, problems, fromDefinition }: GrowRequest): ProblemChoice {
  if (problemIds !== undefined) return { problemIds };
  return problems !== undefined || fromDefinition ? {} : { limit: 0 };
}

export const nothingNew = (id: EvaluationId): EvaluatorError =>
  new EvaluatorError(
    "evaluation.nothing_new",
    `evaluation ${id} already includes all of this; retry it to run what failed or is missing`,
  );

function united(
  before: Pick<EvaluationOptions, "models" | "variants">,
  asked: EvaluationOptions,
  isMeant: (name: "models" | "variants") => boolean,
): Pick<EvaluationOptions, "models" | "variants"> {
  const variants = { ...before.variants, ...(isMeant("variants") ? asked.variants : {}) };
  return {
    models: distinct([...before.models, ...(isMeant("models") ? asked.models : [])]),
    variants: Object.keys(variants).length === 0 ? undefined : variants,
  };
}

/** The models and variants that were planned before, as the definition writes them. */
export function plannedRows(
  options: EvaluationOptions,
  models: readonly Model[],
): Pick<EvaluationOptions, "models" | "variants"> {
  const names = [...new Set(models.flatMap(({ variant }) => variant ?? []))];
  return {
    models: distinct(models.map(({ providerKey, model }): ModelPair => [providerKey, model])),
    variants: names.length === 0 ? undefined : pickVariants(options, names),
  };
}

const distinct = (pairs: readonly ModelPair[]): ModelPair[] => [
  ...new Map(pairs.map((pair) => [JSON.stringify(pair), pair])).values(),
];

function pickVariants(
  { variants = {} }: EvaluationOptions,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const missing = names.find((name) => !Object.hasOwn(variants, name));
  if (missing === undefined) return Object.fromEntries(names.map((name) => [name, variants[name]]));
  const known = Object.keys(variants).join(", ") || "none";
  throw new EvaluatorError(
    "options.invalid",
    `the definition has no variant "${missing}"; its variants are: ${known}`,
  );
}

/** A definition's options with what a request says instead; `problemIds` are left to whoever reads the problems. */
export function requestedOptions(
  options: EvaluationOptions,
  request: Omit<StartRequest, "evaluation">,
): EvaluationOptions {
  const { models, variants, problems, trials, concurrency, limits, budget, tags } = request;
  return {
    ...options,
    ...(models === undefined ? {} : { models: models.map(toPair) }),
    ...(variants === undefined ? {} : { variants: pickVariants(options, variants) }),
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
