import { defineCommand, FLAGS } from "../command.ts";
import { listenForStop } from "../exit.ts";
import { watchEvaluation } from "../remote/watch-evaluation.ts";
import { noteOn } from "../reporters/choose-reporter.ts";
import { findEvaluation, mustExist, openReader } from "../store.ts";

/** Follows an evaluation that another process or an API runs, until it ends. */
export const watchCommand = defineCommand({
  flags: { ...FLAGS.gates, ...FLAGS.document, ...FLAGS.quiet, ...FLAGS.store, ...FLAGS.remote },
  notes: [
    "Follows an API, or another process using this store.",
    "Ctrl-C ends the watching; the evaluation continues.",
  ],
  takes: [1, "one id"],
  async execute(host, [id], flags) {
    await using reader = mustExist(await openReader(host, flags));
    using interruption = listenForStop(host.process, () => {});
    const note = noteOn(host, flags.json);
    const record = await findEvaluation(reader, id);
    return await watchEvaluation({ host, flags, reader, interruption, note }, record.id);
  },
});
