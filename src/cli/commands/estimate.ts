import { relative } from "node:path";
import type { Execute } from "../command-table.ts";
import { readEnvFile } from "../env-file.ts";
import { estimateLines } from "../estimate/estimate-lines.ts";
import { findEvalFiles } from "../eval-files.ts";
import { EXIT } from "../exit-code.ts";
import { listenForStop } from "../interruption.ts";
import { leadWrites } from "../lead-writes.ts";
import { commandFor, openStore } from "../open-store.ts";
import { readFlags } from "../read-flags.ts";
import { RunFlags } from "../run/run-flags.ts";
import { printLines, printWhole } from "../screen.ts";
import { BLANK } from "../text/line.ts";
import { shellWord } from "../text/shell-word.ts";
import { UsageError } from "../usage-error.ts";

/** Says what a run of a file will take before it is run. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("estimate", RunFlags, raw);
  const [path, extra] = await findEvalFiles(words, host.cwd);
  if (path === undefined || extra !== undefined) throw new UsageError("estimate takes one file.", "estimate");
  await readEnvFile(host.cwd, host.process.env);
  // What a definition prints is no part of the answer.
  using _led = leadWrites([host.process.stdout], host.stderr.write);
  using interruption = listenForStop(host.process, () => {});
  const { estimateFile } = await import("../estimate/estimate-file.ts");
  const store = await openStore(host, flags.store);
  try {
    const estimate = await estimateFile({ path, cwd: host.cwd, flags, store, signal: interruption.signal });
    if (flags.json) {
      const document = { ...estimate, models: Object.fromEntries(estimate.models) };
      host.stdout.write(`${JSON.stringify(document)}\n`);
      return EXIT.done;
    }
    printLines(host.stdout, estimateLines(estimate, host.stdout.columns));
    if (estimate.pilot === null) return EXIT.done;
    const goOn = `run ${shellWord(relative(host.cwd, path))} --resume ${estimate.pilot} --grow`;
    printWhole(host.stdout, [
      BLANK,
      [["Run the rest with: "], [commandFor(host, flags.store)(goOn), "cyan"]],
    ]);
    return interruption.exitCode() ?? EXIT.done;
  } finally {
    await store.close();
  }
};
