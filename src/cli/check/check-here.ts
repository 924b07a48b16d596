import { relative, resolve } from "node:path";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { checkOptions } from "../../engine/definition/read-definition.ts";
import { loadDefinition } from "../../local/load-definition.ts";
import { checkEvaluation } from "../../local/run-evaluation.ts";
import type { Store } from "../../store/store.ts";
import { UsageError } from "../errors.ts";
import { findEvaluation, mustExist, readVerdicts } from "../evaluation-reader.ts";
import { readEnvFile } from "../files.ts";
import { leadWrites } from "../process.ts";
import { chooseReporter } from "../reporters/choose-reporter.ts";
import { checkSameEvaluation } from "../run/jobs.ts";
import { closing, openStoreToRead } from "../store.ts";
import { type CheckOptions, CheckTally } from "./tally.ts";

/** Checks the results of an evaluation in the store of this folder, with the checker of its file as it is now. */
export async function checkHere(options: CheckOptions): Promise<EvaluationId> {
  const { host, flags, id } = options;
  await readEnvFile(host.cwd, host.process.env);
  const store = mustExist(await openStoreToRead(host, flags.store), "check");
  using _led = flags.json ? leadWrites([host.process.stdout], host.stderr.write) : null;
  await using _closed = closing(store);
  const record = await findEvaluation(store, id, "check");
  const tally = new CheckTally(await readVerdicts(store, record.id));
  await check(options, store, record, tally);
  if (!flags.json) options.note(tally.line());
  return record.id;
}

async function check(
  options: CheckOptions,
  store: Store,
  record: EvaluationRecord,
  tally: CheckTally,
): Promise<void> {
  const { signal, host } = options;
  const given = options.file ?? record.file;
  if (given === null) {
    throw new UsageError(`A script started ${record.id}; name the evaluation file to check with.`, "check");
  }
  const path = resolve(host.cwd, given);
  const file = relative(host.cwd, path);
  const { options: own, bundle } = await loadDefinition(path);
  checkSameEvaluation("check", file, checkOptions(own).name, record);
  using shown = chooseReporter(options);
  const listener = tally.before(shown.reporter.listener);
  // Only the checker comes from the file; the models are those that were run.
  const models = record.models.map(({ providerKey, model }): [string, string] => [providerKey, model]);
  await checkEvaluation({ options: { ...own, models }, bundle, file, store, signal, listener }, record.id);
}
