import { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { systemClock } from "../../engine/system.ts";
import { UsageError } from "../errors.ts";
import { type EvaluationReader, findEvaluation, readVerdicts } from "../find-evaluation.ts";
import { followEvaluation } from "../remote/follow.ts";
import { openApi } from "../remote/open-reader.ts";
import { remoteReader } from "../remote/reader.ts";
import { chooseReporter } from "../reporters/choose-reporter.ts";
import { printWhole } from "../screen.ts";
import { commandFor } from "../store.ts";
import { type Checking, CheckTally } from "./tally.ts";

export interface ApiPlace {
  readonly remote: string;
  readonly token?: string | undefined;
  readonly store?: string | undefined;
}

/** Has the results of an evaluation checked again where an API is, with the checker that it has, and shows it. */
export async function checkThere(checking: Checking, place: ApiPlace): Promise<EvaluationId> {
  const { host, file } = checking;
  if (place.store !== undefined) throw new UsageError("--store and --remote do not go together.", "check");
  if (file !== undefined) throw new UsageError(`${NOT_OURS}; leave ${file} out.`, "check");
  const client = await openApi(host, place.remote, place.token);
  const reader = remoteReader(client);
  const { id } = await findEvaluation(reader, checking.id, "check");
  const tally = new CheckTally(await readVerdicts(reader, id));
  await client.post(`/evaluations/${id}/check`, EvaluationRecord, {});
  const { record } = await follow(checking, reader, id, tally);
  if (!checking.flags.json) checking.note(tally.line());
  if (record.status !== "running") return id;
  const again = commandFor(host, undefined, place.remote)(`watch ${id}`);
  printWhole(host.stderr, [[["The check goes on. See it again with: "], [again, "cyan"]]]);
  return id;
}

async function follow(checking: Checking, reader: EvaluationReader, id: EvaluationId, tally: CheckTally) {
  using shown = chooseReporter(checking);
  const listener = tally.listen(shown.reporter.listener);
  const { signal } = checking;
  return await followEvaluation({
    reader,
    id,
    listener,
    signal,
    clock: systemClock,
    isInterrupted: () => false,
  });
}

const NOT_OURS = "With --remote the checker is the one that is deployed there";
