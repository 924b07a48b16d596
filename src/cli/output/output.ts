import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/model-stats.ts";
import type { EvaluationReport } from "../../domain/statistics/evaluation-report.ts";
import type { Store } from "../../store/contract.ts";
import type { FailureGroups } from "../report/failure-groups.ts";
import type { Against } from "../run/regression.ts";

/** An evaluation that has ended, and where its entries are. */
export interface Ended {
  readonly record: EvaluationRecord;
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  readonly report: EvaluationReport;
  readonly failures: FailureGroups;
  readonly against: Against | null;
  readonly store: Pick<Store, "entries" | "readBody">;
}

/** A file for other programs; of several evaluations it has one after another. */
export interface Output {
  add(ended: Ended): Promise<void>;
  end(): Promise<void>;
}
