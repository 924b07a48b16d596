import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/stats.ts";
import type { Line } from "../text/line.ts";

/** What a reader must know to trust the table; nothing that does not apply. */
export function footnotes(stats: Readonly<Record<ModelKey, ModelStats>>): Line[] {
  const all = Object.entries(stats) as [ModelKey, ModelStats][];
  const scripted = all.filter(([key]) => key.startsWith("scripted/"));
  const notes = [
    "Accuracy: correct / (scored + the model's own failures); show has two more.",
    ...(all.some(([, each]) => each.costUsd !== null && each.runsWithUnknownCost > 0)
      ? ["≥: some runs have no known price and are not in the sum."]
      : []),
    ...(all.some(([, each]) => each.runsWithUnknownUsage > 0 && each.finished > each.failed)
      ? ["Some runs reported no tokens; they are not in the sum."]
      : []),
  ];
  const lines = notes.map((note): Line => [[note, "dim"]]);
  if (scripted.length === 0) return lines;
  const which = scripted.length === all.length ? "These models are" : "Models named scripted/… are";
  return [
    ...lines,
    [[`${which} scripted: replies come from the evaluation file.`, "yellow"]],
    [["The numbers show how the evaluator works, not how good a model is.", "yellow"]],
  ];
}
