import { wholeEntries } from "../report/whole-entries.ts";
import type { Output } from "./output.ts";
import type { OutputFile } from "./output-file.ts";

/** An entry per line, each with its whole result. */
export const jsonlOutput = (file: OutputFile): Output => ({
  async add({ record, store }) {
    for await (const entry of wholeEntries(store, record.id)) await file.write(`${JSON.stringify(entry)}\n`);
  },
  end: () => file.close(),
});
