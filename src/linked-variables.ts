import * as z from "zod";
import { secretName, UNSET_SECRET } from "./domain/cloud-settings.ts";
import { EvaluatorError } from "./domain/evaluator-error.ts";

const Linked = z.object({ value: z.string() });

/** The value of a linked secret; null when it is not linked, or nobody has set it. */
function linkedSecret(name: string, resources: object): string | null {
  const found = Linked.safeParse((resources as Record<string, unknown>)[name]);
  return found.success && found.data.value !== UNSET_SECRET ? found.data.value : null;
}

export function neededSecret(name: string, resources: object): string {
  const value = linkedSecret(name, resources);
  if (value !== null) return value;
  throw new EvaluatorError(
    "deployment.no_secret",
    `the secret ${name} is not set; set it with: npx sst secret set ${name} <value>`,
  );
}

/** The variables that linked secrets stand for; those that nobody has set are not there. */
export const linkedVariables = (names: readonly string[], resources: object): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = linkedSecret(secretName(name), resources);
      return value === null ? [] : [[name, value]];
    }),
  );
