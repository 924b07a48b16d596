import * as z from "zod";
import type { Checking } from "../check/tally.ts";
import type { Execute } from "../command-table.ts";
import { UsageError } from "../errors.ts";
import { flagSwitch, readFlags, remoteFlags } from "../flags.ts";
import { listenForStop } from "../process.ts";
import { printLines } from "../screen.ts";
import { BLANK } from "../text/line.ts";
import { execute as show } from "./show.ts";

export const CheckFlags = z.strictObject({
  json: flagSwitch,
  store: z.string().min(1, "a folder").optional(),
  ...remoteFlags,
});
type CheckFlags = z.output<typeof CheckFlags>;

/** Checks stored results again with the checker as it is now, and shows what came of it; no agent runs. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("check", CheckFlags, raw);
  const [id, file, extra] = words;
  if (extra !== undefined)
    throw new UsageError(`check takes an id and a file, got also "${extra}".`, "check");
  using interruption = listenForStop(host.process, () => {});
  const note: Checking["note"] = (line) => printLines(flags.json ? host.stderr : host.stdout, [line]);
  const { signal } = interruption;
  const checked = await check({ host, flags: { ...flags, quiet: false }, note, signal, id, file }, flags);
  const stopped = interruption.exitCode();
  if (stopped !== null) return stopped;
  if (!flags.json) printLines(host.stdout, [BLANK]);
  return show(host, [checked], raw);
};

async function check(checking: Checking, { remote, token, store }: CheckFlags): Promise<string> {
  if (remote === undefined) {
    const { checkHere } = await import("../check/check-here.ts");
    return checkHere(checking, store);
  }
  const { checkThere } = await import("../check/check-there.ts");
  return checkThere(checking, { remote, token, store });
}
