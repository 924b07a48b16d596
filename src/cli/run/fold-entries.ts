import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { type ModelKey, modelKey } from "../../domain/model.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import { StatsFold } from "../../domain/stats/stats.ts";
import type { EvaluationListener, EvaluationOutcome } from "../../engine/engine.ts";
import { Outcomes } from "../../statistics/outcomes.ts";
import { type EvaluationReport, evaluationReport } from "../../statistics/report.ts";
import type { Against } from "../pages/comparison.ts";
import { FailureGroups } from "../pages/failures.ts";
import type { Resumed } from "../pages/summary.ts";
import type { EvaluationReader } from "../store.ts";

/** An evaluation with all that its pages and files say about it. */
export interface FoldedEvaluation extends EvaluationOutcome {
  readonly failures: FailureGroups;
  readonly outcomes: Outcomes;
  readonly report: EvaluationReport;
}

/** An evaluation whose results are to be shown, written and judged. */
export interface FinishedEvaluation extends FoldedEvaluation {
  readonly reader: Pick<EvaluationReader, "entries" | "readBody">;
  /** Null where there is no baseline. */
  readonly against: Against | null;
  /** Null when it did not resume an earlier one. */
  readonly resumed: Resumed | null;
}

/** Adds up failures and outcomes of entries that are read, or that pass by on their way to a listener. */
export class EntryFold {
  readonly #failures = new FailureGroups();
  readonly #outcomes: Outcomes;

  constructor(models: Iterable<ModelKey> = []) {
    this.#outcomes = new Outcomes(models);
  }

  add(entry: LogEntry): void {
    this.#failures.add(entry);
    this.#outcomes.addEntry(entry);
  }

  /** Listens before another listener. */
  before(listener: EvaluationListener): EvaluationListener {
    return {
      ...listener,
      started: (info) => {
        this.#outcomes.expectModels(info.models);
        listener.started?.(info);
      },
      entry: (entry) => {
        this.add(entry);
        listener.entry?.(entry);
      },
    };
  }

  finish({ record, stats }: EvaluationOutcome): FoldedEvaluation {
    const report = evaluationReport(this.#outcomes);
    return { record, stats, report, failures: this.#failures, outcomes: this.#outcomes };
  }
}

/** Reads all entries of a stored evaluation and adds them up. */
export async function foldEvaluation(
  reader: Pick<EvaluationReader, "entries">,
  record: EvaluationRecord,
): Promise<FoldedEvaluation> {
  const models = record.models.map(modelKey);
  const stats = StatsFold.of(record);
  const fold = new EntryFold(models);
  for await (const entry of reader.entries(record.id)) {
    stats.add(entry);
    fold.add(entry);
  }
  return fold.finish({ record, stats: stats.stats() });
}
