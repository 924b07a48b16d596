import type { ReaderFlags } from "../evaluation-reader.ts";
import type { Output } from "../output/output-file.ts";
import { againstLines } from "../pages/comparison.ts";
import { wholeEntries, writeDocument } from "../pages/document.ts";
import { nextLines } from "../pages/next-steps.ts";
import { statsTable } from "../pages/stats-table.ts";
import { summaryLines } from "../pages/summary.ts";
import { printLines, printWhole, type Screen } from "../screen.ts";
import { commandFor } from "../store.ts";
import { BLANK, type Line } from "../text/line.ts";
import type { FinishedEvaluation } from "./fold-entries.ts";
import { type GateSession, judgeEvaluation } from "./gates.ts";

export interface FinishSession extends GateSession {
  readonly flags: GateSession["flags"] & ReaderFlags;
}

/** The places for the results beside the screen. */
export interface FinishDeps {
  readonly documents: DocumentWriter | null;
  readonly outputs?: Output | undefined;
  /** Which of several it is, from 0; null when it is the only one. */
  readonly position: number | null;
  /** About to run again, so its results are not printed. */
  readonly isReplaced?: boolean;
}

/** Shows and writes what an evaluation's runs led to, and returns the exit code that it earned. */
export async function finishEvaluation(
  session: FinishSession,
  finished: FinishedEvaluation,
  { documents, outputs, position, isReplaced = false }: FinishDeps,
): Promise<number> {
  if (documents !== null) await documents.write(finished);
  else if (!isReplaced) printFinished(session, finished, position);
  await outputs?.add(finished);
  return judgeEvaluation(session, finished);
}

function printFinished(
  { host, flags }: FinishSession,
  finished: FinishedEvaluation,
  position: number | null,
): void {
  const { record, stats, report, against } = finished;
  const width = host.stdout.columns;
  if (flags.quiet) {
    const title: Line = [[record.name, "bold"]];
    // One table alone needs no name; of several each has its own.
    const titles = [...(position ? [BLANK] : []), ...(position === null ? [] : [title])];
    return printLines(host.stdout, [...titles, ...statsTable(stats, report, width)]);
  }
  printLines(host.stdout, [BLANK, ...summaryLines(finished, width)]);
  if (against !== null && against.comparisons.length > 0) {
    printLines(host.stdout, [BLANK, ...againstLines(against, width)]);
  }
  printWhole(host.stdout, nextLines(finished, commandFor(host, flags), width));
}

export interface DocumentWriter {
  write(finished: FinishedEvaluation): Promise<void>;
  end(): void;
}

/** Writes one document per call: `{ evaluation, stats, report, logs }`, or `{ evaluations: […] }` when `count` is more than one. */
export function documentWriter(screen: Screen, count: number): DocumentWriter {
  const isList = count > 1;
  let written = 0;
  return {
    async write({ record, stats, report, against, reader }) {
      if (isList) screen.write(written === 0 ? '{"evaluations":[' : ",");
      written++;
      const logs = wholeEntries(reader, record.id);
      await writeDocument(screen, { evaluation: record, stats, report, against, logs });
    },
    end() {
      if (isList) screen.write(written === 0 ? '{"evaluations":[]}' : "]}");
      if (isList || written > 0) screen.write("\n");
    },
  };
}
