import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { plural } from "../../domain/format.ts";
import { makeFolder } from "../../store/sqlite/sqlite-store.ts";
import { defineCommand, FLAGS, someText } from "../command.ts";
import { webBuild } from "../dashboard/assets.ts";
import { gatherReport, reportPage } from "../dashboard/report-file.ts";
import { EXIT } from "../exit.ts";
import { findEvaluation, mustExist, openStoreToRead } from "../store.ts";
import { type Line, printLines } from "../text/screen.ts";

/** Writes an evaluation as one HTML file that opens from disk. */
export const reportCommand = defineCommand({
  flags: {
    out: {
      value: "FILE",
      short: "o",
      help: "the file (default report.html); -o is short for it",
      check: someText("a file").default("report.html"),
    },
    ...FLAGS.store,
  },
  notes: ["The file opens from disk, without a server, and makes no network requests."],
  takes: [1, "one id"],
  async execute(host, [id], flags) {
    await using store = mustExist(await openStoreToRead(host, flags.store));
    const record = await findEvaluation(store, id);
    const { data, leftOut } = await gatherReport(store, record);
    const page = reportPage(await webBuild("report"), data);
    const path = resolve(host.cwd, flags.out);
    makeFolder(dirname(path));
    await writeFile(path, page);
    const runs = plural(data.evaluation.progress.finished, "run");
    const without = `  The transcripts of ${plural(leftOut, "correct run")} did not fit.`;
    printLines(host.stdout, [
      [["✓ ", "green"], [`${record.id} is in `], [flags.out, "cyan"], [`, ${runs}`]],
      ...(leftOut === 0 ? [] : [[[without, "dim"]] satisfies Line]),
    ]);
    return EXIT.done;
  },
});
