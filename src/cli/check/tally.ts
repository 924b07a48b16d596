import { plural } from "../../domain/format.ts";
import { verdictOf } from "../../domain/run/verdict.ts";
import type { EvaluationListener } from "../../engine/local/local-evaluation.ts";
import type { ShownOn } from "../reporters/choose-reporter.ts";
import type { Line } from "../text/line.ts";

/** Counts what a round that checks does to the verdicts that there were before it. */
export class CheckTally {
  readonly #before: string;
  #round = 0;
  #checked = 0;
  #changed = 0;

  constructor(before: string) {
    this.#before = before;
  }

  /** Hears what passes by on its way to another listener. */
  listen(listener: EvaluationListener): EvaluationListener {
    return {
      ...listener,
      started: (info) => {
        this.#round = info.record.round;
        listener.started?.(info);
      },
      entry: (entry) => {
        if (entry.round === this.#round) {
          this.#checked++;
          if (verdictOf(entry) !== this.#before[entry.index]) this.#changed++;
        }
        listener.entry?.(entry);
      },
    };
  }

  line(): Line {
    const changed = this.#changed === 0 ? "no verdict" : plural(this.#changed, "verdict");
    return [[`${plural(this.#checked, "run")} checked again: ${changed} changed.`]];
  }
}

/** One call of `check`: where it is shown, what ends it, and what was typed. */
export interface Checking extends ShownOn {
  readonly signal: AbortSignal;
  readonly id: string | undefined;
  readonly file: string | undefined;
}
