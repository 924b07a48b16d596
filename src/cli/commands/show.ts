import * as z from "zod";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { modelKey } from "../../domain/model.ts";
import type { LogEntry } from "../../domain/run/log-entry.ts";
import type { EntryFilter } from "../../store/store.ts";
import { defineCommand, FLAGS, type FlagValues, flagSwitch } from "../command.ts";
import { EXIT, UsageError } from "../exit.ts";
import type { CliHost } from "../host.ts";
import { hasOutputs, openOutputs } from "../output/outputs.ts";
import { type EvaluationDocument, seenRecord, wholeEntries, writeDocument } from "../pages/document.ts";
import { nextLines } from "../pages/next-steps.ts";
import { runPage } from "../pages/run-page.ts";
import { listedFailure, listedRun, type RunLineLayout, runLineLayout } from "../pages/runs.ts";
import { evaluationPage } from "../pages/summary.ts";
import { toWrongAnswer, wrongAnswer } from "../pages/wrong-answers.ts";
import { foldEvaluation } from "../run/fold-entries.ts";
import {
  commandFor,
  type EvaluationReader,
  findEvaluation,
  findRun,
  mustExist,
  openReader,
} from "../store.ts";
import { BLANK, jsonLine, type Line, printLines, printWhole } from "../text/screen.ts";

const SHOW_FLAGS = {
  logs: { help: "a line for every run", check: flagSwitch },
  failed: { help: "a line for every run that failed", check: flagSwitch },
  wrong: { help: "every wrong answer: problem, expected value, answer", check: flagSwitch },
  run: {
    value: "RUNID",
    help: "one run: problem, result, transcript, output",
    check: z
      .string()
      .regex(/^[0-9a-f]{1,20}$/, "the id of a run, or its first letters")
      .optional(),
  },
  ...FLAGS.outputs,
  ...FLAGS.document,
  ...FLAGS.store,
  ...FLAGS.remote,
} as const;
type ShowFlags = FlagValues<typeof SHOW_FLAGS>;

/** Shows an evaluation, its runs, or one run. */
export const showCommand = defineCommand({
  flags: SHOW_FLAGS,
  notes: [
    "Without ID it is the newest evaluation; the first letters of an id are enough.",
    "With --run, --json prints { evaluation, rounds, body }.",
  ],
  takes: [1, "one id"],
  execute: (host, [id], flags) => showStored(host, id, flags),
});

/** Shows what is stored; a document has also what else is to be said. */
export async function showStored(
  host: CliHost,
  id: string | undefined,
  flags: ShowFlags,
  more: Pick<EvaluationDocument, "changes"> = {},
): Promise<number> {
  if (flags.failed && flags.wrong) {
    throw new UsageError("--failed and --wrong do not go together: a run that failed has no answer.");
  }
  await using reader = mustExist(await openReader(host, flags));
  const record = await findEvaluation(reader, id);
  await writeOutputs(host, reader, record, flags);
  if (flags.run !== undefined) await showRun(host, reader, record, flags.run, flags.json);
  else if (flags.json) await showJson(host, reader, record, filterOf(flags), more);
  else if (flags.logs || flags.failed || flags.wrong) await showLogs(host, reader, record, flags);
  else {
    const folded = await foldEvaluation(reader, record);
    const width = host.stdout.columns;
    printLines(host.stdout, evaluationPage(folded, width));
    printWhole(host.stdout, nextLines(folded, commandFor(host, flags), width));
  }
  return EXIT.done;
}

/** Writes the files that are asked for; most calls ask for none, and read nothing for them. */
async function writeOutputs(
  host: CliHost,
  reader: EvaluationReader,
  record: EvaluationRecord,
  flags: ShowFlags,
): Promise<void> {
  if (!hasOutputs(flags)) return;
  const outputs = await openOutputs(host, flags, { isStep: false });
  await outputs.add({
    ...(await foldEvaluation(reader, record)),
    reader,
    against: null,
    resumed: null,
    gates: [],
  });
  await outputs.end();
}

async function showJson(
  { stdout }: CliHost,
  reader: EvaluationReader,
  record: EvaluationRecord,
  filter: EntryFilter,
  more: Pick<EvaluationDocument, "changes">,
): Promise<void> {
  const { stats, report } = await foldEvaluation(reader, record);
  const logs = wholeEntries(reader, record.id, filter);
  await writeDocument(stdout, { evaluation: record, stats, report, ...more, logs });
  stdout.write("\n");
}

async function showLogs(
  host: CliHost,
  reader: EvaluationReader,
  record: EvaluationRecord,
  flags: ShowFlags,
): Promise<void> {
  const { stdout } = host;
  const layout = runLineLayout(record.models.map(modelKey), stdout.columns);
  let count = 0;
  for await (const entry of reader.entries(record.id, filterOf(flags))) {
    printLines(stdout, listed(entry, layout, flags));
    count++;
    if (count % 1_000 === 0) await stdout.flushed();
  }
  if (count === 0) return printLines(stdout, [[[noneOf(flags)]]]);
  // A pipe gets runs and nothing else.
  if (!stdout.isLive) return;
  const oneRun = commandFor(host, flags)(`show ${record.id} --run RUNID`);
  printWhole(stdout, [
    BLANK,
    [
      [oneRun, "cyan"],
      ["  one run, step by step", "dim"],
    ],
  ]);
}

function filterOf({ failed, wrong }: ShowFlags): EntryFilter {
  if (failed) return { failed };
  return wrong ? { correct: false } : {};
}

function listed(entry: LogEntry, layout: RunLineLayout, { failed, wrong }: ShowFlags): Line[] {
  if (failed) return listedFailure(entry, layout);
  return wrong ? wrongAnswer(toWrongAnswer(entry), layout.columns) : listedRun(entry, layout);
}

function noneOf({ failed, wrong }: ShowFlags): string {
  if (failed) return "No run failed.";
  return wrong ? "No answer is wrong." : "No run has ended yet.";
}

async function showRun(
  { stdout }: CliHost,
  reader: EvaluationReader,
  record: EvaluationRecord,
  typed: string,
  isJson: boolean,
): Promise<void> {
  const entry = await findRun(reader, record.id, typed);
  const rounds = await reader.rounds(record.id, entry.runId);
  const body = await reader.readBody(record.id, entry.runId, entry.round);
  if (isJson) stdout.write(`${jsonLine({ evaluation: seenRecord(record), rounds, body })}\n`);
  else printLines(stdout, runPage(entry, rounds, body, stdout.columns));
}
