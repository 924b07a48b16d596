import { relative, resolve } from "node:path";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import type { EvaluationOptions } from "../../engine/definition/definition.ts";
import { checkOptions } from "../../engine/definition/read-definition.ts";
import { loadDefinition } from "../../local/load-definition.ts";
import { checkEvaluation } from "../../local/run-evaluation.ts";
import type { Store } from "../../store/store.ts";
import { UsageError } from "../errors.ts";
import { readEnvFile } from "../files.ts";
import { findEvaluation, readVerdicts } from "../find-evaluation.ts";
import { leadWrites } from "../process.ts";
import { chooseReporter } from "../reporters/choose-reporter.ts";
import { checkSameEvaluation } from "../run/jobs.ts";
import { openStoreToRead } from "../store.ts";
import { type Checking, CheckTally } from "./tally.ts";

/** Checks the results of an evaluation in the store of this folder, with the checker of its file as it is now. */
export async function checkHere(checking: Checking, folder: string | undefined): Promise<EvaluationId> {
  const { host, flags, id } = checking;
  await readEnvFile(host.cwd, host.process.env);
  const store = await openStoreToRead(host, folder);
  if (store === null) throw new UsageError("There is no evaluation here yet; run one first.", "check");
  using _led = flags.json ? leadWrites([host.process.stdout], host.stderr.write) : null;
  try {
    const record = await findEvaluation(store, id, "check");
    const tally = new CheckTally(await readVerdicts(store, record.id));
    await check(checking, store, record, tally);
    if (!flags.json) checking.note(tally.line());
    return record.id;
  } finally {
    await store.close();
  }
}

async function check(
  checking: Checking,
  store: Store,
  record: EvaluationRecord,
  tally: CheckTally,
): Promise<void> {
  const { signal, host } = checking;
  const path = fileOf(checking, record);
  const file = relative(host.cwd, path);
  const { options: own, bundle } = await loadDefinition(path);
  checkSameEvaluation("check", file, checkOptions(own).name, record);
  using shown = chooseReporter(checking);
  const listener = tally.listen(shown.reporter.listener);
  const options = planOf(record, own);
  await checkEvaluation({ options, bundle, file, store, signal, listener }, record.id);
}

/** Only how to check is the file's; what was run is the evaluation's. */
const planOf = (record: EvaluationRecord, options: EvaluationOptions): EvaluationOptions => ({
  ...options,
  models: record.models.map(({ providerKey, model }) => [providerKey, model]),
});

function fileOf({ host, file: given }: Checking, record: EvaluationRecord): string {
  const file = given ?? record.file;
  if (file !== null) return resolve(host.cwd, file);
  throw new UsageError(`A script started ${record.id}; name the evaluation file to check with.`, "check");
}
