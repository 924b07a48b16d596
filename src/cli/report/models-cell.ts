import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { type ModelKey, modelKey } from "../../domain/model.ts";
import { formatShare } from "../../domain/show/format-share.ts";
import type { Span } from "../text/line.ts";

/** Which models, and how good, in few columns and the best first: `100% careful, 20.0% hasty`. */
export function modelsCell({ models, stats }: EvaluationRecord): Span {
  const names = shortNames(models.map(modelKey));
  if (stats === null) return [[...names.values()].join(", "), "dim"];
  const rated = [...names].map(([key, name]) => ({ name, accuracy: stats[key]?.accuracy ?? null }));
  const best = rated.toSorted((a, b) => (b.accuracy ?? -1) - (a.accuracy ?? -1));
  return [best.map(({ name, accuracy }) => `${formatShare(accuracy)} ${name}`).join(", ")];
}

/** The last part of a name says enough, unless another model has the same. */
function shortNames(keys: readonly ModelKey[]): Map<ModelKey, string> {
  const last = (key: ModelKey): string => key.slice(key.lastIndexOf("/") + 1);
  const isClear = new Set(keys.map(last)).size === keys.length;
  return new Map(keys.map((key) => [key, isClear ? last(key) : key]));
}
