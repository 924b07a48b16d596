import type { EvaluationId } from "../../domain/ids.ts";
import { plural } from "../../domain/show/format-count.ts";
import type { Line } from "../text/line.ts";

export interface Growth {
  readonly from: EvaluationId;
  readonly id: EvaluationId;
  readonly keptRuns: number;
  readonly newRuns: number;
}

/** Before an evaluation grows: what is kept, what will run, and under which id it goes on. */
export const growthLine = ({ from, id, keptRuns, newRuns }: Growth): Line => [
  ["+ ", "cyan"],
  [`${plural(keptRuns, "run")} of ${from} ${keptRuns === 1 ? "is" : "are"} kept, ${newRuns} `],
  [`${newRuns === 1 ? "is" : "are"} new; together they are `],
  [id, "bold"],
];
