import { readFile } from "node:fs/promises";
import * as z from "zod";
import { LogEntry } from "../../domain/log-entry.ts";
import { Outcomes } from "../../domain/statistics/outcomes.ts";
import { UsageError } from "../usage-error.ts";

const Counted = LogEntry.pick({
  providerKey: true,
  model: true,
  problemId: true,
  tags: true,
  correct: true,
  failure: true,
  score: true,
});
const Document = z.object({ logs: z.array(Counted) });

/** The outcomes in a file of `--json` (one document) or `--jsonl` (an entry per line). */
export async function readEntriesFile(path: string, typed: string, command: string): Promise<Outcomes> {
  const text = await readFile(path, "utf8");
  const outcomes = new Outcomes();
  try {
    for (const entry of entriesOf(text)) outcomes.addEntry(entry);
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error).split("\n")[0] : String(error);
    throw new UsageError(`${typed} is no output of --json or --jsonl of one evaluation: ${why}.`, command);
  }
  return outcomes;
}

function* entriesOf(text: string): Generator<z.output<typeof Counted>> {
  if (text.startsWith('{"evaluation"')) {
    yield* Document.parse(JSON.parse(text)).logs;
    return;
  }
  for (const line of text.split("\n")) {
    if (line.trim() !== "") yield Counted.parse(JSON.parse(line));
  }
}
