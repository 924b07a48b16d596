import { EvaluatorError } from "../domain/errors.ts";
import type { EvaluationOptions } from "../engine/definition/definition.ts";

/** Name of the variant that is the file as it lies in the working folder. */
export const CURRENT = "current";

// Hidden from what checks and describes a definition; the same in a bundle and in the process that loads it.
const SIDES: unique symbol = Symbol.for("agent-evaluator.sides");

type Recipe = Pick<EvaluationOptions, "buildAgent" | "tools" | "variants"> & {
  readonly [SIDES]?: Readonly<Record<string, Recipe>>;
};

/**
 * Makes one definition of a file's two versions: all of it is the current one's, except that the variant `other` builds
 * the other version's agent with the other version's tools.
 */
export function sideBySide(current: unknown, earlier: unknown, other: string): unknown {
  if (!isRecipe(current)) return current;
  if (!isRecipe(earlier)) throw refused(`the file of ${other} has no evaluation as its default export`);
  if (current.variants !== undefined || earlier.variants !== undefined)
    throw refused(
      "--against compares two versions of a file, each as a variant, so neither may have `variants` of its own; " +
        "take them out, or compare two evaluations with `compare`",
    );
  return {
    ...current,
    variants: { [other]: null, [CURRENT]: null },
    [SIDES]: { [other]: earlier, [CURRENT]: current },
  };
}

/** The part of a definition that builds a variant's agent, and the tools that it gets. */
export function sideOf<Given extends Recipe>(recipe: Given, variant: string | undefined): Recipe {
  return (variant === undefined ? undefined : recipe[SIDES]?.[variant]) ?? recipe;
}

const isRecipe = (value: unknown): value is Recipe => typeof value === "object" && value !== null;

const refused = (why: string): EvaluatorError => new EvaluatorError("options.invalid", why);
