import { compareEvaluations } from "../../statistics/report.ts";
import type { Outputs } from "../output/outputs.ts";
import { type Against, againstLines } from "../pages/comparison.ts";
import { wholeEntries, writeDocument } from "../pages/document.ts";
import { gateLines } from "../pages/gates.ts";
import { nextLines } from "../pages/next-steps.ts";
import { evaluationsTable, modelTable, statsColumnsOf, type TitledModels } from "../pages/stats-table.ts";
import { summaryLines } from "../pages/summary.ts";
import { commandFor, type ReaderFlags } from "../store.ts";
import { BLANK, type Line, printLines, printWhole, type Screen } from "../text/screen.ts";
import { layTable } from "../text/table.ts";
import type { EndedEvaluation, FinishedEvaluation, FoldedEvaluation } from "./fold-entries.ts";
import { decideGates, exitCodeOf, type GateSession, warnOfGates } from "./judge.ts";
import type { ComparedSource } from "./read-source.ts";

/** One call of a command that finishes evaluations. */
export interface FinishSession extends GateSession {
  readonly flags: ReaderFlags & GateSession["flags"];
}

/** The places for the results beside the screen. */
export interface FinishDeps {
  readonly documents: DocumentWriter | null;
  readonly outputs?: Outputs | undefined;
  /** Gets the evaluation, for a table over all of them; null when it is the only one. */
  readonly all: TitledModels[] | null;
  /** About to run again, so its results are not printed. */
  readonly isReplaced?: boolean;
}

/** Shows and writes what an evaluation's runs led to, and returns the exit code that it earned. */
export async function finishEvaluation(
  session: FinishSession,
  ended: EndedEvaluation,
  { documents, outputs, all, isReplaced = false }: FinishDeps,
): Promise<number> {
  const finished = { ...ended, gates: decideGates(session, ended) };
  if (documents !== null) await documents.write(finished);
  else if (!isReplaced && !(session.flags.quiet && all !== null)) printFinished(session, finished);
  const { record, stats, report } = finished;
  if (!isReplaced) all?.push({ name: record.name, stats, report });
  await outputs?.add(finished);
  warnOfGates(session, finished);
  return exitCodeOf(session, finished);
}

function printFinished({ host, flags }: FinishSession, finished: FinishedEvaluation): void {
  const { stats, against, gates } = finished;
  const width = host.stdout.columns;
  if (flags.quiet) {
    return printLines(
      host.stdout,
      layTable(modelTable(statsColumnsOf(Object.values(stats)), finished), width),
    );
  }
  printLines(host.stdout, [BLANK, ...summaryLines(finished, width)]);
  if (against !== null && against.comparisons.length > 0) {
    printLines(host.stdout, [BLANK, ...againstLines(against, width)]);
  }
  if (gates.length > 0) printLines(host.stdout, [BLANK, ...gateLines(gates, width)]);
  printWhole(host.stdout, nextLines(finished, commandFor(host, flags), width));
}

/** Prints one table over several evaluations, a row per model of each. */
export function printAll({ host, flags }: FinishSession, all: readonly TitledModels[] | null): void {
  if (all === null || all.length === 0 || flags.json) return;
  const title: Line[] = flags.quiet ? [] : [BLANK, [["All evaluations", "bold"]]];
  printLines(host.stdout, [...title, ...layTable(evaluationsTable(all), host.stdout.columns)]);
}

interface DocumentWriter {
  write(finished: FinishedEvaluation): Promise<void>;
  end(): void;
}

/** Writes one document per call: `{ evaluation, stats, report, logs }`, or `{ evaluations: […] }` when `count` is more than one. */
export function documentWriter(screen: Screen, count: number): DocumentWriter {
  const isList = count > 1;
  let written = 0;
  return {
    async write({ record, stats, report, against, gates, reader }) {
      if (isList) screen.write(written === 0 ? '{"evaluations":[' : ",");
      written++;
      const logs = wholeEntries(reader, record.id);
      await writeDocument(screen, { evaluation: record, stats, report, against, gates, logs });
    },
    end() {
      if (isList) screen.write(written === 0 ? '{"evaluations":[]}' : "]}");
      if (isList || written > 0) screen.write("\n");
    },
  };
}

/** Compares the models with those of the baseline of the same name. */
export function compareWithBaseline(
  { record, outcomes }: FoldedEvaluation,
  baseline: ComparedSource,
): Against {
  const candidate = { evaluation: record.id, model: null, outcomes };
  return { baseline: baseline.name, comparisons: compareEvaluations(candidate, baseline) };
}
