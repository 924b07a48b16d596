import { relative, resolve } from "node:path";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { checkOptions } from "../../engine/definition/read-definition.ts";
import { loadDefinition } from "../../local/load-definition.ts";
import { checkEvaluation } from "../../local/run-evaluation.ts";
import { UsageError } from "../errors.ts";
import { findEvaluation, mustExist, readVerdicts } from "../evaluation-reader.ts";
import { readEnvFile } from "../files.ts";
import { redirectWrites } from "../process.ts";
import { chooseReporter } from "../reporters/choose-reporter.ts";
import { checkSameEvaluation } from "../run/jobs.ts";
import { closing, openStoreToRead } from "../store.ts";
import { type CheckOptions, CheckTally } from "./tally.ts";

/** Checks the results of an evaluation in the store of this folder, with the checker of its file as it is now. */
export async function checkHere(options: CheckOptions): Promise<EvaluationId> {
  const { host, flags, signal } = options;
  await readEnvFile(host.cwd, host.process.env);
  const store = mustExist(await openStoreToRead(host, flags.store), "check");
  using _redirected = flags.json ? redirectWrites([host.process.stdout], host.stderr.write) : null;
  await using _closed = closing(store);
  const record = await findEvaluation(store, options.id, "check");
  const path = pathOf(options, record);
  const file = relative(host.cwd, path);
  const { options: own, bundle } = await loadDefinition(path);
  checkSameEvaluation("check", file, checkOptions(own).name, record);
  const tally = new CheckTally(await readVerdicts(store, record.id));
  // Only the checker comes from the file; the models are those that were run.
  const models = record.models.map(({ providerKey, model }): [string, string] => [providerKey, model]);
  {
    using shown = chooseReporter(options);
    const listener = tally.before(shown.listener);
    await checkEvaluation({ options: { ...own, models }, bundle, file, store, signal, listener }, record.id);
  }
  if (!flags.json) options.note(tally.line());
  return record.id;
}

function pathOf({ host, file }: CheckOptions, record: EvaluationRecord): string {
  const path = file ?? record.file;
  if (path !== null) return resolve(host.cwd, path);
  throw new UsageError(`A script started ${record.id}; name the evaluation file to check with.`, "check");
}
