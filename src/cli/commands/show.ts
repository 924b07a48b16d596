import * as z from "zod";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { modelKey } from "../../domain/model.ts";
import { StatsFold } from "../../domain/stats/stats.ts";
import { Outcomes } from "../../statistics/outcomes.ts";
import { evaluationReport } from "../../statistics/report.ts";
import type { Execute } from "../command-table.ts";
import { EXIT, UsageError } from "../errors.ts";
import { type EvaluationReader, findEvaluation, findRun } from "../find-evaluation.ts";
import { flagSwitch, OutputFlags, readFlags, remoteFlags } from "../flags.ts";
import type { Host } from "../host.ts";
import { openOutputs } from "../output/outputs.ts";
import { seenRecord, wholeEntries, writeDocument } from "../pages/document.ts";
import { FailureGroups } from "../pages/failures.ts";
import { nextLines } from "../pages/next-steps.ts";
import { runPage } from "../pages/run-page.ts";
import { listedFailure, listedRun, runLineLayout } from "../pages/runs.ts";
import { evaluationPage } from "../pages/summary.ts";
import { openReader } from "../remote/open-reader.ts";
import { printLines, printWhole } from "../screen.ts";
import { commandFor } from "../store.ts";
import { BLANK, type Line } from "../text/line.ts";

export const ShowFlags = z.strictObject({
  json: flagSwitch,
  logs: flagSwitch,
  failed: flagSwitch,
  run: z
    .string()
    .regex(/^[0-9a-f]{1,20}$/, "the id of a run, or its first letters")
    .optional(),
  ...OutputFlags,
  store: z.string().min(1, "a folder").optional(),
  ...remoteFlags,
});
type ShowFlags = z.output<typeof ShowFlags>;

/** An evaluation, its runs, or one run. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("show", ShowFlags, raw);
  const [id, extra] = words;
  if (extra !== undefined) throw new UsageError(`show takes one id, got also "${extra}".`, "show");
  const store = await openReader(host, flags, "show");
  if (store === null) throw new UsageError("There is no evaluation here yet; run one first.", "show");
  try {
    const record = await findEvaluation(store, id, "show");
    await writeOutputs(host, store, record, flags);
    await show(host, store, record, flags);
  } finally {
    await store.close();
  }
  return EXIT.done;
};

/** The files that are asked for; most calls ask for none, and read nothing for them. */
async function writeOutputs(host: Host, store: EvaluationReader, record: EvaluationRecord, flags: ShowFlags) {
  if (Object.keys(OutputFlags).every((name) => flags[name as keyof OutputFlags] === undefined)) return;
  const outputs = await openOutputs(host, flags, { isStep: false });
  await outputs.add({ record, ...(await fold(store, record)), against: null, store });
  await outputs.end();
}

async function show(
  host: Host,
  store: EvaluationReader,
  record: EvaluationRecord,
  flags: ShowFlags,
): Promise<void> {
  if (flags.run !== undefined) return showRun(host, store, record, flags.run, flags.json);
  if (flags.json) return showJson(host, store, record, flags.failed);
  if (flags.logs || flags.failed) return showLogs(host, store, record, flags);
  const { stats, report, failures } = await fold(store, record);
  const width = host.stdout.columns;
  printLines(host.stdout, evaluationPage({ record, stats, report, failures, width }));
  printWhole(
    host.stdout,
    nextLines({ record, stats, failures, width, command: commandFor(host, flags.store, flags.remote) }),
  );
}

async function fold(store: EvaluationReader, record: EvaluationRecord) {
  const models = record.models.map(modelKey);
  const stats = new StatsFold(models, record.problemCount * record.trials);
  const outcomes = new Outcomes(models);
  const failures = new FailureGroups();
  for await (const entry of store.entries(record.id)) {
    stats.add(entry);
    outcomes.addEntry(entry);
    failures.add(entry);
  }
  return { stats: stats.stats(), report: evaluationReport(outcomes), failures };
}

async function showJson(
  host: Host,
  store: EvaluationReader,
  record: EvaluationRecord,
  failed: boolean,
): Promise<void> {
  const { stats, report } = await fold(store, record);
  const logs = wholeEntries(store, record.id, failed ? { failed } : {});
  await writeDocument(host.stdout, { evaluation: record, stats, report, logs });
  host.stdout.write("\n");
}

async function showLogs(
  host: Host,
  store: EvaluationReader,
  record: EvaluationRecord,
  flags: ShowFlags,
): Promise<void> {
  const { stdout } = host;
  const layout = runLineLayout(record.models.map(modelKey), stdout.columns);
  let count = 0;
  for await (const entry of store.entries(record.id, flags.failed ? { failed: true } : {})) {
    printLines(stdout, flags.failed ? listedFailure(entry, layout) : listedRun(entry, layout));
    count++;
    if (count % 1_000 === 0) await stdout.flushed();
  }
  if (count === 0) printLines(stdout, [[[flags.failed ? "No run failed." : "No run has ended yet."]]]);
  // A pipe gets runs and nothing else.
  else if (stdout.isLive)
    printWhole(stdout, [BLANK, oneRunLine(commandFor(host, flags.store, flags.remote), record)]);
}

const oneRunLine = (command: (words: string) => string, { id }: EvaluationRecord): Line => [
  [command(`show ${id} --run RUNID`), "cyan"],
  ["  one run, step by step", "dim"],
];

async function showRun(
  host: Host,
  store: EvaluationReader,
  record: EvaluationRecord,
  typed: string,
  isJson: boolean,
) {
  const entry = await findRun(store, record.id, typed);
  const rounds = await store.rounds(record.id, entry.runId);
  const body = await store.readBody(record.id, entry.runId, entry.round);
  if (isJson)
    return host.stdout.write(`${JSON.stringify({ evaluation: seenRecord(record), rounds, body })}\n`);
  printLines(host.stdout, runPage({ rounds, entry, body, width: host.stdout.columns }));
}
