import { plural } from "../../domain/format.ts";
import { verdictOf } from "../../domain/run/verdict.ts";
import type { EvaluationListener } from "../../engine/local/local-evaluation.ts";
import type { ReaderFlags } from "../evaluation-reader.ts";
import type { Session } from "../reporters/choose-reporter.ts";
import type { Line } from "../text/line.ts";

/** Counts the verdicts that a checking round changes. */
export class CheckTally {
  readonly #earlier: string;
  #round = 0;
  #checked = 0;
  #changed = 0;

  constructor(earlier: string) {
    this.#earlier = earlier;
  }

  /** Listens before another listener. */
  before(listener: EvaluationListener): EvaluationListener {
    return {
      ...listener,
      started: (info) => {
        this.#round = info.record.round;
        listener.started?.(info);
      },
      entry: (entry) => {
        if (entry.round === this.#round) {
          this.#checked++;
          if (verdictOf(entry) !== this.#earlier[entry.index]) this.#changed++;
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

/** One call of `check`. */
export interface CheckOptions extends Session {
  readonly flags: Session["flags"] & ReaderFlags;
  readonly signal: AbortSignal;
  readonly id: string | undefined;
  readonly file: string | undefined;
}
