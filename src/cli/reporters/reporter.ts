import type { EvaluationListener } from "../../engine/local/local-evaluation.ts";
import type { Line } from "../text/line.ts";

/** Shows the user how an evaluation proceeds. */
export interface Reporter {
  readonly listener: EvaluationListener;
  /** A line that stays, whatever is being drawn. */
  note(line: Line): void;
  /** Ends the drawing; what follows is printed below. */
  stop(): void;
}

export const warningLine = (message: string): Line => [["warning: ", "yellow"], [message]];
