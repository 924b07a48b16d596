import { resolve } from "node:path";
import type { OutputFlags } from "../command.ts";
import type { CliHost } from "../host.ts";
import { junitOutput } from "./junit.ts";
import { type Output, type OutputFile, openOutputFile } from "./output-file.ts";
import { csvOutput, jsonlOutput } from "./rows.ts";
import { summaryOutput } from "./summary.ts";

const MAKERS = {
  junit: junitOutput,
  jsonl: jsonlOutput,
  csv: csvOutput,
  summary: summaryOutput,
} as const satisfies Record<keyof OutputFlags, (file: OutputFile) => Output>;

const KINDS = Object.keys(MAKERS) as (keyof OutputFlags)[];

/** Tells if any file is asked for. */
export const hasOutputs = (flags: OutputFlags): boolean => KINDS.some((kind) => flags[kind] !== undefined);

/** Opens all files that are asked for as one; in a step of GitHub Actions also its summary, unless `summary` names one. */
export async function openOutputs(
  host: CliHost,
  flags: OutputFlags,
  { isStep }: { isStep: boolean },
): Promise<Output> {
  const outputs: Output[] = [];
  for (const kind of KINDS) {
    const path = flags[kind];
    if (path === undefined) continue;
    outputs.push(MAKERS[kind](await openOutputFile(resolve(host.cwd, path), "replace")));
  }
  const step = host.env.GITHUB_STEP_SUMMARY;
  if (isStep && flags.summary === undefined && step) {
    outputs.push(summaryOutput(await openOutputFile(step, "append")));
  }
  return {
    async add(finished) {
      for (const output of outputs) await output.add(finished);
    },
    async end() {
      for (const output of outputs) await output.end();
    },
  };
}
