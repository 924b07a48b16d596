import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import type { Execute } from "../command-table.ts";
import { EXIT, UsageError } from "../errors.ts";
import { flagSwitch, readFlags } from "../flags.ts";
import type { Host } from "../host.ts";
import { cloudLines, writeCloud } from "../init/cloud.ts";
import { STARTER, writeNew } from "../init/project.ts";
import { printLines, printWhole } from "../screen.ts";

const DEFAULT_FILE = "evals/first.eval.ts";
const OTHER = "evals/second.eval.ts";

const InitFlags = z.strictObject({ cloud: flagSwitch });

/** Writes the starter file and nothing else, or what deploys a project. */
export const execute: Execute = async (host, words, raw) => {
  const { cloud } = readFlags("init", InitFlags, raw);
  const [file, extra] = words;
  if (extra !== undefined) throw new UsageError(`init writes one file, got also "${extra}".`, "init");
  if (cloud && file !== undefined)
    throw new UsageError(`init --cloud writes files of its own, got also "${file}".`, "init");
  if (cloud) await initCloud(host);
  else await initFile(host, file ?? DEFAULT_FILE);
  return EXIT.done;
};

async function initCloud(host: Host): Promise<void> {
  const isInstalled = existsSync(join(host.cwd, "node_modules/agent-evaluator"));
  printWhole(host.stdout, cloudLines(await writeCloud(host.cwd), isInstalled));
}

async function initFile(host: Host, file: string): Promise<void> {
  const end = await writeNew(resolve(host.cwd, file), STARTER);
  if (end === "already-there") {
    throw new UsageError(
      `${file} exists already and is left as it is. Name another file: init ${OTHER}.`,
      "init",
    );
  }
  printLines(host.stdout, [
    [["✓ ", "green"], [`${file} is written.`]],
    [["  Run it: "], [`${host.commandName} run ${file}`, "cyan"]],
  ]);
}
