import * as z from "zod";
import { ModelPair } from "../../domain/model.ts";
import { checkKeys } from "../../providers/built-in.ts";
import type { EvaluationOptions } from "./definition.ts";

type Asking = Pick<EvaluationOptions, "models" | "resultChecker" | "providerFactory">;

/**
 * Throws unless every provider of a model, or of a checker that says whom it asks, has its key; a `providerFactory` of
 * the user's own knows by itself what it needs.
 */
export function checkModelKeys(...evaluations: readonly Asking[]): void {
  const builtIn = evaluations.filter(({ providerFactory }) => providerFactory === undefined);
  checkKeys(builtIn.flatMap((options) => [...providersOf(options), ...askedProviders(options)]));
}

// What is not a model at all is refused, with all its reasons, when the definition is read.
const providersOf = ({ models }: Asking): string[] =>
  models.flatMap((model) => ModelPair.safeParse(model).data?.[0] ?? []);

const Asks = z.array(z.string()).catch([]);

/** Keys of the providers that the checker says it asks; most ask nobody, and not each that does says so. */
export const askedProviders = ({ resultChecker }: Pick<EvaluationOptions, "resultChecker">): string[] =>
  Asks.parse(Reflect.get(Object(resultChecker), "asks"));
