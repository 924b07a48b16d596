import { FAULTS, type FailureCause } from "../../domain/failure.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import type { Line } from "../text/line.ts";
import { wrapText } from "../text/text-width.ts";

/** Said aloud when the infrastructure failed every run that was not stopped: a table of dashes is easily overlooked. */
export function nothingScored(stats: Readonly<Record<ModelKey, ModelStats>>, width: number): Line[] {
  const cause = whatFailedAll(Object.values<ModelStats>(stats));
  if (cause === null) return [];
  const text = `No run could be scored: the infrastructure failed them (${cause}); the numbers say nothing about the models.`;
  return wrapText(text, width).map((piece): Line => [[piece, "red"]]);
}

/** The most frequent of the causes; null when a run was scored, or failed by a fault of the model's. */
function whatFailedAll(all: readonly ModelStats[]): FailureCause | null {
  const hasOthers = all.some(
    ({ finished, failuresByFault: { infrastructure, stopped } }) => finished > infrastructure + stopped,
  );
  if (hasOthers) return null;
  const count = (cause: FailureCause) =>
    all.reduce((sum, { failuresByCause }) => sum + (failuresByCause[cause] ?? 0), 0);
  const [most] = INFRASTRUCTURE.filter((cause) => count(cause) > 0).sort((a, b) => count(b) - count(a));
  return most ?? null;
}

const INFRASTRUCTURE = (Object.keys(FAULTS) as FailureCause[]).filter(
  (cause) => FAULTS[cause] === "infrastructure",
);
