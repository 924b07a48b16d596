import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { formatShare } from "../../domain/show/format-share.ts";
import type { Line } from "../text/line.ts";

/** The models that are not good enough; an accuracy that is unknown does not meet any threshold. */
export function missedThreshold(
  stats: Readonly<Record<ModelKey, ModelStats>>,
  minAccuracy: number | undefined,
): Line[] {
  if (minAccuracy === undefined) return [];
  return (Object.entries(stats) as [ModelKey, ModelStats][])
    .filter(([, { accuracy }]) => accuracy === null || accuracy < minAccuracy)
    .map(
      ([key, { accuracy }]): Line => [
        ["✗ ", "red"],
        [`${key}: accuracy ${accuracy === null ? "unknown" : formatShare(accuracy)}`],
        [` is under --min-accuracy ${minAccuracy}`],
      ],
    );
}
