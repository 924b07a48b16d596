import { relative, resolve } from "node:path";
import { EvaluationRecord } from "../../domain/evaluation.ts";
import { plural } from "../../domain/format.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { entryModelKey, type LogEntry } from "../../domain/run/log-entry.ts";
import { VERDICT, verdictOf } from "../../domain/run/verdict.ts";
import { checkOptions } from "../../engine/definition/read-definition.ts";
import { plannedRows } from "../../engine/definition/requests.ts";
import type { EvaluationListener, StartInfo } from "../../engine/engine.ts";
import { loadDefinitionApart } from "../../local/definition-apart.ts";
import { recheckEvaluation } from "../../local/run-evaluation.ts";
import { defineCommand, FLAGS } from "../command.ts";
import { listenForStop, UsageError } from "../exit.ts";
import { readEnvFile } from "../files.ts";
import { redirectWrites } from "../host.ts";
import { shortId } from "../pages/runs.ts";
import { openApi, remoteReader } from "../remote/reader.ts";
import { followShown } from "../remote/watch-evaluation.ts";
import { chooseReporter, noteOn, type Session } from "../reporters/choose-reporter.ts";
import { listenBefore } from "../reporters/progress.ts";
import { checkSameEvaluation } from "../run/jobs.ts";
import {
  commandFor,
  findEvaluation,
  mustExist,
  openStoreToRead,
  type ReaderFlags,
  readVerdicts,
} from "../store.ts";
import { BLANK, type Line, printLines, printWhole } from "../text/screen.ts";
import { layRows } from "../text/table.ts";
import { showStored } from "./show.ts";

/** Checks stored results again with the checker as it is now, and shows the result; no agent runs. */
export const checkCommand = defineCommand({
  flags: { ...FLAGS.document, ...FLAGS.store, ...FLAGS.remote },
  notes: [
    "The checker is that of the file as it is now; earlier verdicts are kept.",
    "--json has also changes, a list of { runId, was, is }: the verdicts that changed.",
    "Without FILE it is the evaluation's own file; with --remote the one deployed there.",
  ],
  takes: [2, "an id and a file"],
  async execute(host, [id, file], flags) {
    using interruption = listenForStop(host.process, () => {});
    const note = noteOn(host, flags.json);
    const { signal } = interruption;
    const options = { host, flags: { ...flags, quiet: false }, note, signal, id, file };
    const { remote } = flags;
    const { id: checkedId, tally } = await (remote === undefined
      ? checkHere(options)
      : checkThere(options, remote));
    if (!flags.json) printLines(host.stdout, tally.lines());
    const stopped = interruption.exitCode();
    if (stopped !== null) {
      const again = commandFor(host, {})(`check ${checkedId}`);
      printWhole(host.stderr, [
        [["The check was stopped; other results keep their earlier verdicts. To go on: "], [again, "cyan"]],
      ]);
      return stopped;
    }
    if (!flags.json) printLines(host.stdout, [BLANK]);
    const changes = tally.changes();
    return showStored(host, checkedId, { ...flags, logs: false, failed: false, wrong: false }, { changes });
  },
});

/** Checks the results of an evaluation in the store of this folder, with the checker of its file as it is now. */
async function checkHere(options: CheckOptions): Promise<Checked> {
  const { host, flags, signal } = options;
  await readEnvFile(host.cwd, host.process.env);
  await using store = mustExist(await openStoreToRead(host, flags.store));
  using _redirected = flags.json ? redirectWrites([host.process.stdout], host.stderr.write) : null;
  const record = await findEvaluation(store, options.id);
  const path = pathOf(options, record);
  const file = relative(host.cwd, path);
  const { options: own, bundle } = await loadDefinitionApart(path, { against: record.against });
  checkSameEvaluation(file, checkOptions(own).name, record);
  const tally = new CheckTally(await readVerdicts(store, record.id));
  // Only the checker comes from the file; the models are those that were run.
  const rows = plannedRows(own, record.models);
  {
    using shown = chooseReporter(options);
    const listener = listenBefore(tally, shown.listener);
    await recheckEvaluation(
      { options: { ...own, ...rows }, bundle, file, store, signal, listener },
      record.id,
    );
  }
  return { id: record.id, tally };
}

function pathOf({ host, file }: CheckOptions, record: EvaluationRecord): string {
  const path = file ?? record.file;
  if (path !== null) return resolve(host.cwd, path);
  throw new UsageError(`A script started ${record.id}; name the evaluation file to check with.`);
}

/** Has an API check the results of an evaluation again, with the checker that is deployed there, and shows it. */
async function checkThere(options: CheckOptions, remote: string): Promise<Checked> {
  const { host, flags, file, signal } = options;
  if (flags.store !== undefined) throw new UsageError("--store and --remote do not go together.");
  if (file !== undefined) {
    throw new UsageError(`With --remote the deployed checker is used; leave ${file} out.`);
  }
  const client = openApi(host, remote, flags.token);
  const reader = remoteReader(client);
  const { id } = await findEvaluation(reader, options.id);
  const tally = new CheckTally(await readVerdicts(reader, id));
  await client.post(`/evaluations/${id}/check`, EvaluationRecord, {});
  const { record } = await followShown(options, tally, { reader, id, signal, isInterrupted: () => false });
  if (record.status !== "running") return { id, tally };
  const again = commandFor(host, { remote })(`watch ${id}`);
  printWhole(host.stderr, [[["The check continues. Watch it again with: "], [again, "cyan"]]]);
  return { id, tally };
}

interface Checked {
  readonly id: EvaluationId;
  readonly tally: CheckTally;
}

/** More changes than this are not read; --json has all. */
const MOST_CHANGES = 20;

const NAMES = new Map<string, string>(Object.entries(VERDICT).map(([name, letter]) => [letter, name]));

/** Collects the verdicts that a checking round changes. */
class CheckTally implements EvaluationListener {
  readonly #earlier: string;
  readonly #changed: ChangedVerdict[] = [];
  #round = 0;
  #checked = 0;

  constructor(earlier: string) {
    this.#earlier = earlier;
  }

  started({ record }: StartInfo): void {
    this.#round = record.round;
  }

  entry(entry: LogEntry): void {
    if (entry.round !== this.#round) return;
    this.#checked++;
    const [was = "", is] = [this.#earlier[entry.index], verdictOf(entry)];
    if (was === is) return;
    const { index, runId, problemId, trial } = entry;
    const problem = trial > 1 ? `${problemId} (trial ${trial})` : problemId;
    const names = { was: NAMES.get(was) ?? was, is: NAMES.get(is) ?? is };
    this.#changed.push({ index, runId, model: entryModelKey(entry), problem, ...names });
  }

  /** In plan order. */
  changes() {
    const changed = this.#changed.toSorted((a, b) => a.index - b.index);
    return changed.map(({ runId, was, is }) => ({ runId, was, is }));
  }

  lines(): Line[] {
    const changed = this.#changed.toSorted((a, b) => a.index - b.index);
    const count = changed.length === 0 ? "no verdict" : plural(changed.length, "verdict");
    const rows = changed
      .slice(0, MOST_CHANGES)
      .map(({ runId, model, problem, was, is }) => [shortId(runId), model, problem, `${was} → ${is}`]);
    const left = changed.length - rows.length;
    return [
      [[`${plural(this.#checked, "run")} checked again: ${count} changed.`]],
      ...layRows(rows),
      ...(left > 0 ? [[[`… ${left} more; --json has all of them`, "dim"]] satisfies Line] : []),
    ];
  }
}

interface ChangedVerdict {
  readonly index: number;
  readonly runId: string;
  readonly model: string;
  readonly problem: string;
  readonly was: string;
  readonly is: string;
}

/** One call of `check`. */
interface CheckOptions extends Session {
  readonly flags: Session["flags"] & ReaderFlags;
  readonly signal: AbortSignal;
  readonly id: string | undefined;
  readonly file: string | undefined;
}
