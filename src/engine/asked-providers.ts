import * as z from "zod";
import type { EvaluationOptions } from "./definition.ts";

const Asks = z.array(z.string()).catch([]);

/** Keys of the providers that the checker says it asks; most ask nobody, and not each that does says so. */
export const askedProviders = ({ resultChecker }: Pick<EvaluationOptions, "resultChecker">): string[] =>
  Asks.parse(Reflect.get(Object(resultChecker), "asks"));
