import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { ModelKey } from "../../domain/model.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import type { EvaluationReport } from "../../statistics/report.ts";
import type { Store } from "../../store/store.ts";
import type { OutputFlags } from "../flags.ts";
import type { Host } from "../host.ts";
import type { FailureGroups } from "../pages/failures.ts";
import type { Against } from "../run/gates.ts";
import { junitOutput } from "./junit.ts";
import { csvOutput, jsonlOutput } from "./rows.ts";
import { summaryOutput } from "./summary.ts";

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

/** A text file that is written in pieces, so that it may be larger than memory. */
export interface OutputFile {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

const CHUNK_LENGTH = 64 * 1024;

/** Opens the file now, so that one that cannot be written is known before anything runs. */
export async function openOutputFile(path: string, how: "replace" | "append"): Promise<OutputFile> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, how === "append" ? "a" : "w");
  let chunk = "";
  const flush = async () => {
    const text = chunk;
    chunk = "";
    if (text !== "") await file.writeFile(text);
  };
  return {
    async write(text) {
      chunk += text;
      if (chunk.length >= CHUNK_LENGTH) await flush();
    },
    async close() {
      await flush();
      await file.close();
    },
  };
}

/** An evaluation that has ended, and where its entries are. */
export interface Ended {
  readonly record: EvaluationRecord;
  readonly stats: Readonly<Record<ModelKey, ModelStats>>;
  readonly report: EvaluationReport;
  readonly failures: FailureGroups;
  readonly against: Against | null;
  readonly store: Pick<Store, "entries" | "readBody">;
}

/** A file for other programs; of several evaluations it has one after another. */
export interface Output {
  add(ended: Ended): Promise<void>;
  end(): Promise<void>;
}
