import {
  DOCUMENT_FLAG,
  defineCommand,
  MIN_ACCURACY_FLAG,
  QUIET_FLAG,
  REMOTE_FLAGS,
  STORE_FLAG,
} from "../command.ts";
import { listenForStop } from "../exit.ts";
import { watchEvaluation } from "../remote/watch-evaluation.ts";
import { noteOn } from "../reporters/choose-reporter.ts";
import { closing, findEvaluation, mustExist, openReader } from "../store.ts";

/** Follows an evaluation that another process or an API runs, until it ends. */
export const watchCommand = defineCommand("watch", {
  flags: { ...MIN_ACCURACY_FLAG, ...DOCUMENT_FLAG, ...QUIET_FLAG, ...STORE_FLAG, ...REMOTE_FLAGS },
  notes: [
    "Follows an API, or another process using this store.",
    "Ctrl-C ends the watching; the evaluation continues.",
  ],
  takes: [1, "one id"],
  async execute(host, [id], flags) {
    const reader = mustExist(await openReader(host, flags, "watch"), "watch");
    using interruption = listenForStop(host.process, () => {});
    const note = noteOn(host, flags.json);
    await using _closed = closing(reader);
    const record = await findEvaluation(reader, id, "watch");
    return await watchEvaluation({ host, flags, reader, interruption, note }, record.id);
  },
});
