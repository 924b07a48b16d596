import { defineCommand } from "../command.ts";
import { DOCUMENT_FLAG, REMOTE_FLAGS, STORE_FLAG } from "../flags.ts";
import { listenForStop } from "../process.ts";
import { noteOn } from "../reporters/choose-reporter.ts";
import { printLines } from "../screen.ts";
import { BLANK } from "../text/line.ts";
import { showStored } from "./show.ts";

/** Checks stored results again with the checker as it is now, and shows the result; no agent runs. */
export const checkCommand = defineCommand("check", {
  flags: { ...DOCUMENT_FLAG, ...STORE_FLAG, ...REMOTE_FLAGS },
  notes: [
    "The checker is that of the file as it is now; earlier verdicts are kept.",
    "Without FILE it is the evaluation's own file; with --remote the one deployed there.",
  ],
  takes: [2, "an id and a file"],
  async execute(host, [id, file], flags) {
    using interruption = listenForStop(host.process, () => {});
    const note = noteOn(host, flags.json);
    const { signal } = interruption;
    const options = { host, flags: { ...flags, quiet: false }, note, signal, id, file };
    const { remote } = flags;
    const checked =
      remote === undefined
        ? await (await import("../check/check-here.ts")).checkHere(options)
        : await (await import("../check/check-there.ts")).checkThere(options, remote);
    const stopped = interruption.exitCode();
    if (stopped !== null) return stopped;
    if (!flags.json) printLines(host.stdout, [BLANK]);
    return showStored(host, checked, { ...flags, logs: false, failed: false });
  },
});
