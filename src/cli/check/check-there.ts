import { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { UsageError } from "../errors.ts";
import { findEvaluation, readVerdicts } from "../evaluation-reader.ts";
import { openApi, remoteReader } from "../remote/reader.ts";
import { followShown } from "../remote/watch-evaluation.ts";
import { printWhole } from "../screen.ts";
import { commandFor } from "../store.ts";
import { type CheckOptions, CheckTally } from "./tally.ts";

/** Has an API check the results of an evaluation again, with the checker that is deployed there, and shows it. */
export async function checkThere(options: CheckOptions, remote: string): Promise<EvaluationId> {
  const { host, flags, file, signal } = options;
  if (flags.store !== undefined) throw new UsageError("--store and --remote do not go together.", "check");
  if (file !== undefined) {
    throw new UsageError(`With --remote the deployed checker is used; leave ${file} out.`, "check");
  }
  const client = openApi(host, remote, flags.token);
  const reader = remoteReader(client);
  const { id } = await findEvaluation(reader, options.id, "check");
  const tally = new CheckTally(await readVerdicts(reader, id));
  await client.post(`/evaluations/${id}/check`, EvaluationRecord, {});
  const { record } = await followShown(options, tally, { reader, id, signal, isInterrupted: () => false });
  if (!flags.json) options.note(tally.line());
  if (record.status !== "running") return id;
  const again = commandFor(host, { remote })(`watch ${id}`);
  printWhole(host.stderr, [[["The check continues. Watch it again with: "], [again, "cyan"]]]);
  return id;
}
