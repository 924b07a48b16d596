import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import type { Line } from "../text/line.ts";
import { wrapText } from "../text/text-width.ts";
import type { FailureGroups } from "./failure-groups.ts";

/** Said aloud when the infrastructure failed every run that was not stopped: a table of dashes is easily overlooked. */
export function nothingScored(
  stats: Readonly<Record<ModelKey, ModelStats>>,
  failures: FailureGroups,
  width: number,
): Line[] {
  const all = Object.values<ModelStats>(stats);
  const lost = failures.groups().find(({ fault }) => fault === "infrastructure");
  const hasOthers = all.some(
    ({ finished, failuresByFault: { infrastructure, stopped } }) => finished > infrastructure + stopped,
  );
  if (lost === undefined || hasOthers) return [];
  const text = `No run could be scored: the infrastructure failed them (${lost.cause}); the numbers say nothing about the models.`;
  return wrapText(text, width).map((piece): Line => [[piece, "red"]]);
}
