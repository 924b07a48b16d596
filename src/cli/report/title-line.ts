import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { plural } from "../../domain/show/format-count.ts";
import { formatDuration } from "../../domain/show/format-duration.ts";
import type { Line } from "../text/line.ts";

/** Which evaluation, how much of it, and how it ended. */
export function titleLine(record: EvaluationRecord, stats: Readonly<Record<ModelKey, ModelStats>>): Line {
  const all = Object.values(stats);
  // A run that was stopped comes again on resume, so it is not done.
  const done = all.reduce((sum, each) => sum + each.finished - each.failuresByFault.stopped, 0);
  const planned = all.reduce((sum, each) => sum + each.planned, 0);
  const runs = done === planned ? plural(done, "run") : `${done} of ${plural(planned, "run")}`;
  return [[record.name, "bold"], ["  "], ...ending(record, runs)];
}

function ending({ status, startedAt, endedAt }: EvaluationRecord, runs: string): Line {
  const took = endedAt === null ? "" : formatDuration(secondsBetween(startedAt, endedAt));
  switch (status) {
    case "finished":
      return [[`${runs} finished`], [took && ` in ${took}`, "dim"]];
    case "cancelled":
      return [["stopped", "yellow"], [` after ${runs}`], [took && ` and ${took}`, "dim"]];
    case "broken":
      return [["broke", "red"], [` after ${runs}`], [took && ` and ${took}`, "dim"]];
    case "running":
      return [[`${runs} so far`]];
  }
}

const secondsBetween = (startedAt: string, endedAt: string): number =>
  Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;
