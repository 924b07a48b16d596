import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { modelKey } from "../../domain/model.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { StatsFold } from "../../domain/stats/stats.ts";
import type { EvaluationListener, EvaluationOutcome, StartInfo } from "../../engine/engine.ts";
import type { GateResult } from "../../statistics/gates/decision.ts";
import { Outcomes } from "../../statistics/outcomes.ts";
import { type EvaluationReport, evaluationReport } from "../../statistics/report.ts";
import type { Against } from "../pages/comparison.ts";
import { FailureGroups } from "../pages/failures.ts";
import type { ResumedWork } from "../pages/summary.ts";
import { WrongAnswers } from "../pages/wrong-answers.ts";
import type { EvaluationReader } from "../store.ts";

/** An evaluation with all that its pages and files say about it. */
export interface FoldedEvaluation extends EvaluationOutcome {
  readonly failures: FailureGroups;
  readonly wrong: WrongAnswers;
  readonly outcomes: Outcomes;
  readonly report: EvaluationReport;
}

/** An evaluation that has ended, before it is judged. */
export interface EndedEvaluation extends FoldedEvaluation {
  readonly reader: Pick<EvaluationReader, "entries" | "readBody">;
  /** Null where there is no baseline. */
  readonly against: Against | null;
  /** Null when it did not resume an earlier one. */
  readonly resumed: ResumedWork | null;
}

/** An evaluation whose results are to be shown and written. */
export interface FinishedEvaluation extends EndedEvaluation {
  readonly gates: readonly GateResult[];
}

/** Adds up failures and outcomes of entries that are read, or that pass by on their way to a listener. */
export class EntryFold implements EvaluationListener {
  readonly #failures = new FailureGroups();
  readonly #wrong = new WrongAnswers();
  readonly #outcomes = new Outcomes();

  started({ models }: Pick<StartInfo, "models">): void {
    this.#outcomes.expectModels(models);
  }

  entry(entry: LogEntry): void {
    this.#failures.add(entry);
    this.#wrong.add(entry);
    this.#outcomes.addEntry(entry);
  }

  finish({ record, stats }: EvaluationOutcome): FoldedEvaluation {
    const report = evaluationReport(this.#outcomes, record.status === "running");
    const [failures, wrong, outcomes] = [this.#failures, this.#wrong, this.#outcomes];
    return { record, stats, report, failures, wrong, outcomes };
  }
}

/** Reads all entries of a stored evaluation and adds them up. */
export async function foldEvaluation(
  reader: Pick<EvaluationReader, "entries">,
  record: EvaluationRecord,
): Promise<FoldedEvaluation> {
  const stats = StatsFold.of(record);
  const fold = new EntryFold();
  fold.started({ models: record.models.map(modelKey) });
  for await (const entry of reader.entries(record.id)) {
    stats.add(entry);
    fold.entry(entry);
  }
  return fold.finish({ record, stats: stats.stats() });
}
