import { relative, resolve } from "node:path";
import * as z from "zod";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationOptions } from "../../engine/definition.ts";
import type { Execute } from "../command-table.ts";
import { readEnvFile } from "../env-file.ts";
import { findEvaluation } from "../find-evaluation.ts";
import type { Host } from "../host.ts";
import { listenForStop } from "../interruption.ts";
import { leadWrites } from "../lead-writes.ts";
import { openStoreToRead } from "../open-store.ts";
import { flagSwitch, readFlags } from "../read-flags.ts";
import { warningLine } from "../report/live-reporter.ts";
import { printLines } from "../screen.ts";
import { UsageError } from "../usage-error.ts";
import { execute as show } from "./show.ts";

export const CheckFlags = z.strictObject({
  json: flagSwitch,
  store: z.string().min(1, "a folder").optional(),
});

/** Checks stored results again with the checker of the file as it is now; no agent runs. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("check", CheckFlags, raw);
  const [id, file, extra] = words;
  if (extra !== undefined)
    throw new UsageError(`check takes an id and a file, got also "${extra}".`, "check");
  await readEnvFile(host.cwd, host.process.env);
  const store = await openStoreToRead(host, flags.store);
  if (store === null) throw new UsageError("There is no evaluation here yet; run one first.", "check");
  using _led = flags.json ? leadWrites([host.process.stdout], host.stderr.write) : null;
  using interruption = listenForStop(host.process, () => {});
  try {
    const record = await findEvaluation(store, id, "check");
    const path = fileOf(record, file, host);
    const { loadDefinition, checkEvaluation } = await import("../../run-evaluation.ts");
    const { options, bundle } = await loadDefinition(path);
    await checkEvaluation(
      {
        options: planOf(record, options),
        bundle,
        file: relative(host.cwd, path),
        store,
        signal: interruption.signal,
        listener: { warning: (message) => printLines(host.stderr, [warningLine(message)]) },
      },
      record.id,
    );
    const stopped = interruption.exitCode();
    return stopped ?? (await show(host, [record.id], raw));
  } finally {
    await store.close();
  }
};

/** Only how to check is the file's; what was run is the evaluation's. */
const planOf = (record: EvaluationRecord, options: EvaluationOptions): EvaluationOptions => ({
  ...options,
  models: record.models.map(({ providerKey, model }) => [providerKey, model]),
});

function fileOf(record: EvaluationRecord, given: string | undefined, host: Host): string {
  const file = given ?? record.file;
  if (file !== null) return resolve(host.cwd, file);
  throw new UsageError(`A script started ${record.id}; name the evaluation file to check with.`, "check");
}
