import { relative } from "node:path";
import type { Execute } from "../command-table.ts";
import { EXIT, UsageError } from "../errors.ts";
import { estimateLines } from "../estimate/lines.ts";
import { findEvalFiles, readEnvFile } from "../files.ts";
import { readFlags } from "../flags.ts";
import { leadWrites, listenForStop } from "../process.ts";
import { RunFlags } from "../run/flags.ts";
import { printLines, printWhole } from "../screen.ts";
import { commandFor, openStore } from "../store.ts";
import { BLANK, shellWord } from "../text/line.ts";

/** Says what a run of a file will take before it is run. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("estimate", RunFlags, raw);
  const [path, extra] = await findEvalFiles(words, host.cwd);
  if (path === undefined || extra !== undefined) throw new UsageError("estimate takes one file.", "estimate");
  await readEnvFile(host.cwd, host.process.env);
  // What a definition prints is no part of the answer.
  using _led = leadWrites([host.process.stdout], host.stderr.write);
  using interruption = listenForStop(host.process, () => {});
  const { estimateFile } = await import("../estimate/estimate.ts");
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
