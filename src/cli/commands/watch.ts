import * as z from "zod";
import type { Execute } from "../command-table.ts";
import { UsageError } from "../errors.ts";
import { findEvaluation } from "../find-evaluation.ts";
import { flagSwitch, numberBetween, readFlags, remoteFlags } from "../flags.ts";
import { listenForStop } from "../process.ts";
import { openReader } from "../remote/open-reader.ts";
import { type Watching, watchEvaluation } from "../remote/watch.ts";
import { printLines } from "../screen.ts";

export const WatchFlags = z.strictObject({
  "min-accuracy": numberBetween(0, 1, "a number from 0 to 1").optional(),
  json: flagSwitch,
  quiet: flagSwitch,
  store: z.string().min(1, "a folder").optional(),
  ...remoteFlags,
});

/** An evaluation that somebody else runs, until it ends. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("watch", WatchFlags, raw);
  const [id, extra] = words;
  if (extra !== undefined) throw new UsageError(`watch takes one id, got also "${extra}".`, "watch");
  const reader = await openReader(host, flags, "watch");
  if (reader === null) throw new UsageError("There is no evaluation here yet; run one first.", "watch");
  using interruption = listenForStop(host.process, () => {});
  const note: Watching["note"] = (line) => printLines(flags.json ? host.stderr : host.stdout, [line]);
  try {
    const record = await findEvaluation(reader, id, "watch");
    return await watchEvaluation({ host, flags, reader, interruption, note }, record.id);
  } finally {
    await reader.close();
  }
};
