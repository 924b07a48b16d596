import type { Spend } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";

export type StatsByModel = Readonly<Record<ModelKey, ModelStats>>;

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export interface EvaluationView {
  readonly evaluation: EvaluationRecord;
  readonly progress: { readonly finished: number; readonly planned: number };
  readonly stats: StatsByModel;
  /** What all its rounds used, where it has a budget. */
  readonly spent: Spend | null;
}

interface EvaluationQuery {
  readonly tag?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** Some problems in plan order, and one character per run of theirs: model by model, trial by trial. */
export interface GridPage {
  readonly problems: readonly {
    readonly id: string;
    readonly tags: readonly string[];
    readonly text: string;
  }[];
  readonly verdicts: string;
  readonly next: number | null;
}

/** One evaluation in a trend: what of its stats is shown there. */
export interface TrendPoint {
  readonly id: string;
  readonly startedAt: string;
  readonly models: Readonly<Record<ModelKey, TrendStats>>;
}

export type TrendStats = Pick<
  ModelStats,
  "accuracy" | "correct" | "scored" | "finished" | "costUsd" | "failuresByFault" | "runsWithUnknownCost"
>;

export interface Definition {
  readonly name: string;
  readonly models: readonly string[];
}

interface StartWish {
  readonly evaluation: string;
  readonly models?: readonly string[];
}

/** Where the pages get what they show: the API, or the data that a report carries in itself. */
export interface Source {
  /** Whether evaluations can be started and stopped from here. */
  readonly mayAct: boolean;
  evaluations(query: EvaluationQuery, signal?: AbortSignal): Promise<Page<EvaluationRecord>>;
  evaluation(id: string, signal?: AbortSignal): Promise<EvaluationView>;
  /** From a problem's position on; `problems` is empty for who knows them already. */
  grid(id: string, from: number, hasProblems: boolean, signal?: AbortSignal): Promise<GridPage>;
  /** Every round of one run, oldest first; a run is named by its id, or by its number in the plan. */
  rounds(id: string, run: string, signal?: AbortSignal): Promise<readonly LogEntry[]>;
  body(id: string, runId: string, round: number, signal?: AbortSignal): Promise<RunBody | null>;
  trend(name: string, signal?: AbortSignal): Promise<readonly TrendPoint[]>;
  exportFile(id: string, format: "jsonl" | "csv"): Promise<Blob>;
  cancel(id: string): Promise<void>;
  retry(id: string): Promise<void>;
  /** What can be started. */
  definitions(signal?: AbortSignal): Promise<readonly Definition[]>;
  /** Answers with the id of what was started. */
  start(wish: StartWish): Promise<string>;
}
