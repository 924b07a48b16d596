import { modelKey } from "../domain/model.ts";
import type { DefinitionSummary } from "./contract.ts";
import type { EvaluationOptions } from "./definition.ts";
import { checkOptions } from "./read-definition.ts";

/** What people see of a definition before they start it; problems that can be read only once are not counted. */
export function summarizeDefinition(options: EvaluationOptions): DefinitionSummary {
  const { name, models, trials, concurrency, limits, tags, schedule } = checkOptions(options);
  return {
    name,
    models: models.map(modelKey),
    problemCount: Array.isArray(options.problems) ? options.problems.length : null,
    trials,
    concurrency,
    limits,
    tags,
    schedule: schedule ?? null,
  };
}
