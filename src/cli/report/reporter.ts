import type { EvaluationListener } from "../../engine/local-evaluation.ts";
import type { Line } from "../text/line.ts";

/** What the user sees while an evaluation runs. */
export interface Reporter {
  readonly listener: EvaluationListener;
  /** A line that stays, whatever is being drawn. */
  note(line: Line): void;
  /** Ends the drawing; what follows is printed below. */
  stop(): void;
}
