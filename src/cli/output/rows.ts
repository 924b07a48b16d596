import { csvHeader, csvRow } from "../../domain/run/entry-csv.ts";
import { wholeEntries } from "../pages/document.ts";
import type { Output, OutputFile } from "./output-file.ts";

/** Writes an entry per line, each with its whole result. */
export const jsonlOutput = (file: OutputFile): Output => ({
  async add({ record, reader }) {
    for await (const entry of wholeEntries(reader, record.id)) await file.write(`${JSON.stringify(entry)}\n`);
  },
  end: () => file.close(),
});

/** Writes a row per run, as RFC 4180 has it. */
export function csvOutput(file: OutputFile): Output {
  let hasTitles = false;
  return {
    async add({ record, reader }) {
      if (!hasTitles) await file.write(csvHeader());
      hasTitles = true;
      for await (const entry of wholeEntries(reader, record.id)) await file.write(csvRow(entry));
    },
    end: () => file.close(),
  };
}
