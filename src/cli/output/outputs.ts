import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { csvHeader, csvRow } from "../../domain/run/entry-csv.ts";
import type { OutputFlags } from "../command.ts";
import type { CliHost } from "../host.ts";
import { wholeEntries } from "../pages/document.ts";
import type { FinishedEvaluation } from "../run/fold-entries.ts";
import { jsonLine } from "../text/screen.ts";
import { junitSuites } from "./junit.ts";
import { summaryMarkdown } from "./summary.ts";

/** Files for other programs; several evaluations are written one after another. */
export interface Outputs {
  add(finished: FinishedEvaluation): Promise<void>;
  end(): Promise<void>;
}

interface Format {
  readonly head?: string;
  readonly tail?: string;
  /** Writes an evaluation in pieces, so that the file may be larger than memory. */
  pieces(finished: FinishedEvaluation): AsyncIterable<string> | Iterable<string>;
}

const FORMATS: Readonly<Record<keyof OutputFlags, Format>> = {
  junit: {
    head: '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n',
    tail: "</testsuites>\n",
    pieces: junitSuites,
  },
  jsonl: {
    async *pieces({ record, reader }) {
      for await (const entry of wholeEntries(reader, record.id)) yield `${jsonLine(entry)}\n`;
    },
  },
  csv: {
    head: csvHeader(),
    async *pieces({ record, reader }) {
      for await (const entry of wholeEntries(reader, record.id)) yield csvRow(entry);
    },
  },
  summary: { pieces: (finished) => [`${summaryMarkdown(finished)}\n`] },
};

const KINDS = Object.keys(FORMATS) as (keyof OutputFlags)[];

/** Tells if any file is asked for. */
export const hasOutputs = (flags: OutputFlags): boolean => KINDS.some((kind) => flags[kind] !== undefined);

/** Opens all files that are asked for as one; in a step of GitHub Actions also its summary, unless `summary` names one. */
export async function openOutputs(
  host: CliHost,
  flags: OutputFlags,
  { isStep }: { isStep: boolean },
): Promise<Outputs> {
  const outputs: Outputs[] = [];
  for (const kind of KINDS) {
    const path = flags[kind];
    if (path !== undefined) outputs.push(await openOutput(FORMATS[kind], resolve(host.cwd, path), "w"));
  }
  const step = host.env.GITHUB_STEP_SUMMARY;
  if (isStep && flags.summary === undefined && step) {
    outputs.push(await openOutput(FORMATS.summary, step, "a"));
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

const CHUNK_LENGTH = 64 * 1024;

/** Opens the file now, so that one that cannot be written is known before anything runs. */
async function openOutput(format: Format, path: string, mode: "w" | "a"): Promise<Outputs> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, mode);
  let chunk = format.head ?? "";
  const flush = async () => {
    const text = chunk;
    chunk = "";
    if (text !== "") await file.writeFile(text);
  };
  return {
    async add(finished) {
      for await (const piece of format.pieces(finished)) {
        chunk += piece;
        if (chunk.length >= CHUNK_LENGTH) await flush();
      }
    },
    async end() {
      chunk += format.tail ?? "";
      await flush();
      await file.close();
    },
  };
}
