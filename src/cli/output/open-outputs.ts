import { resolve } from "node:path";
import type { Host } from "../host.ts";
import { csvOutput } from "./csv-output.ts";
import { jsonlOutput } from "./jsonl-output.ts";
import { junitOutput } from "./junit-output.ts";
import type { Output } from "./output.ts";
import { type OutputFile, openOutputFile } from "./output-file.ts";
import type { OutputFlags } from "./output-flags.ts";
import { summaryOutput } from "./summary-output.ts";

const MAKERS = {
  junit: junitOutput,
  jsonl: jsonlOutput,
  csv: csvOutput,
  summary: summaryOutput,
} as const satisfies Record<keyof OutputFlags, (file: OutputFile) => Output>;

/** All files that are asked for, as one; in a step of GitHub's Actions also its summary, unless `summary` names one. */
export async function openOutputs(
  host: Host,
  flags: OutputFlags,
  { isStep }: { isStep: boolean },
): Promise<Output> {
  const outputs: Output[] = [];
  for (const kind of Object.keys(MAKERS) as (keyof OutputFlags)[]) {
    const named = flags[kind];
    if (named === undefined) continue;
    outputs.push(MAKERS[kind](await openOutputFile(resolve(host.cwd, named), "replace")));
  }
  const step = host.env.GITHUB_STEP_SUMMARY;
  if (isStep && flags.summary === undefined && step) {
    outputs.push(summaryOutput(await openOutputFile(step, "append")));
  }
  return {
    async add(ended) {
      for (const output of outputs) await output.add(ended);
    },
    async end() {
      for (const output of outputs) await output.end();
    },
  };
}
