import { createContext, useContext } from "react";
import type { DefinitionList, EvaluationPage, EvaluationView, Grid, Trend } from "../../api/answers.ts";
import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";

/** The API's answer, without the counts that the pages take from the stats. */
export type ShownEvaluation = Omit<EvaluationView, "progress"> & {
  readonly progress: Pick<EvaluationView["progress"], "finished" | "total">;
};
export type StatsByModel = EvaluationView["stats"];
export type ProblemRows = Pick<Grid, "problems" | "rows" | "next">;
export type TrendPoint = Pick<ShownEvaluation, "id" | "startedAt" | "trials"> & {
  readonly stats: Trend["evaluations"][number]["models"];
};
export type Startable = Readonly<Pick<DefinitionList["definitions"][number], "name">> & {
  readonly models: readonly string[];
};

interface EvaluationQuery {
  readonly tag?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/** Reads what the pages show: from the API, or from the data inside a report. */
export interface Source {
  /** Whether evaluations can be started and stopped from here. */
  readonly mayAct: boolean;
  evaluations(query: EvaluationQuery, signal: AbortSignal): Promise<EvaluationPage>;
  evaluation(id: string, signal: AbortSignal): Promise<ShownEvaluation>;
  /** From a problem's position on; `problems` is empty unless they are asked for. */
  grid(id: string, from: number, hasProblems: boolean, signal: AbortSignal): Promise<ProblemRows>;
  /** Every round of one run, oldest first; a run is named by its id, or by its number in the plan. */
  rounds(id: string, run: string, signal: AbortSignal): Promise<readonly LogEntry[]>;
  body(id: string, runId: string, round: number, signal: AbortSignal): Promise<RunBody | null>;
  trend(name: string, signal: AbortSignal): Promise<readonly TrendPoint[]>;
  exportFile(id: string, format: "jsonl" | "csv"): Promise<Blob>;
  cancel(id: string): Promise<void>;
  retry(id: string): Promise<void>;
  definitions(signal: AbortSignal): Promise<readonly Startable[]>;
  /** Answers with the id of the new evaluation. */
  start(evaluation: string, models: readonly string[]): Promise<string>;
}

const Context = createContext<Source | null>(null);

export const SourceProvider = Context.Provider;

export function useSource(): Source {
  const source = useContext(Context);
  if (source === null) throw new Error("a page is shown outside of its source");
  return source;
}
