import { relative } from "node:path";
import { defineCommand, FLAGS, flagSwitch } from "../command.ts";
import { EXIT, listenForStop, UsageError } from "../exit.ts";
import { findEvalFiles, readEnvFile } from "../files.ts";
import { redirectWrites } from "../host.ts";
import { PLAN_FLAGS } from "../run/flags.ts";
import { commandFor, openStore } from "../store.ts";
import { BLANK, jsonLine, printLines, printWhole, shellWord } from "../text/screen.ts";

/** Estimates what a run of a file will take before it is run. */
export const estimateCommand = defineCommand({
  flags: {
    ...PLAN_FLAGS,
    json: { help: "print { name, models, total, seen, pilot } as JSON", check: flagSwitch },
    ...FLAGS.store,
  },
  notes: [
    "It is based on earlier runs; a model without any runs one problem, which is kept.",
    "With one earlier run, low = half and high = double; with more it is a 90% interval.",
  ],
  async execute(host, words, flags) {
    const [path, extra] = await findEvalFiles(words, host.cwd);
    if (path === undefined || extra !== undefined) {
      throw new UsageError("estimate takes one file.");
    }
    await readEnvFile(host.cwd, host.process.env);
    // Only the estimate may be on stdout, so what a definition prints goes to stderr.
    using _redirected = redirectWrites([host.process.stdout], host.stderr.write);
    using interruption = listenForStop(host.process, () => {});
    const { estimateFile, estimateLines } = await import("../run/estimate.ts");
    await using store = await openStore(host, flags.store);
    const estimate = await estimateFile({ path, cwd: host.cwd, flags, store, signal: interruption.signal });
    if (flags.json) {
      const document = { ...estimate, models: Object.fromEntries(estimate.models) };
      host.stdout.write(`${jsonLine(document)}\n`);
      return EXIT.done;
    }
    printLines(host.stdout, estimateLines(estimate, host.stdout.columns));
    if (estimate.pilot === null) return EXIT.done;
    const rest = `run ${shellWord(relative(host.cwd, path))} --resume ${estimate.pilot} --grow`;
    printWhole(host.stdout, [BLANK, [["Run the rest with: "], [commandFor(host, flags)(rest), "cyan"]]]);
    return interruption.exitCode() ?? EXIT.done;
  },
});
