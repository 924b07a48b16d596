import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import { plural } from "../../domain/show/format-count.ts";
import { formatDuration } from "../../domain/show/format-duration.ts";
import type { Line } from "../text/line.ts";

/** What a resumed evaluation did since; from its first start to its end is no time that anybody waited. */
export interface Resumed {
  readonly doneBefore: number;
  readonly tookSeconds: number;
}

/** Which evaluation, how much of it, and how it ended. */
export function titleLine(
  record: EvaluationRecord,
  stats: Readonly<Record<ModelKey, ModelStats>>,
  resumed: Resumed | null = null,
): Line {
  const all = Object.values(stats);
  // A run that was stopped comes again on resume, so it is not done.
  const done = all.reduce((sum, each) => sum + each.finished - each.failuresByFault.stopped, 0);
  const planned = all.reduce((sum, each) => sum + each.planned, 0);
  const runs = done === planned ? plural(done, "run") : `${done} of ${plural(planned, "run")}`;
  const now = resumed === null ? null : nowDone(done, resumed);
  return [[record.name, "bold"], ["  "], ...ending(record, runs, now)];
}

const nowDone = (done: number, { doneBefore, tookSeconds }: Resumed): string =>
  `, ${done - doneBefore} of them now in ${formatDuration(tookSeconds)}`;

function ending({ status, startedAt, endedAt }: EvaluationRecord, runs: string, now: string | null): Line {
  const took = endedAt === null ? null : formatDuration(secondsBetween(startedAt, endedAt));
  const time = (word: string) => now ?? (took === null ? "" : ` ${word} ${took}`);
  switch (status) {
    case "finished":
      return [[`${runs} finished`], [time("in"), "dim"]];
    case "cancelled":
      return [["stopped", "yellow"], [` after ${runs}`], [time("and"), "dim"]];
    case "broken":
      return [["broke", "red"], [` after ${runs}`], [time("and"), "dim"]];
    case "running":
      return [[`${runs} so far`]];
  }
}

const secondsBetween = (startedAt: string, endedAt: string): number =>
  Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;
