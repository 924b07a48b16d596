import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { plural } from "../../domain/format.ts";
import { makeFolder } from "../../store/sqlite/sqlite-store.ts";
import type { Execute } from "../command-table.ts";
import { webBuild } from "../dashboard/assets.ts";
import { gatherReport, reportPage } from "../dashboard/report-file.ts";
import { EXIT, UsageError } from "../errors.ts";
import { findEvaluation } from "../find-evaluation.ts";
import { readFlags } from "../flags.ts";
import { printLines } from "../screen.ts";
import { openStoreToRead } from "../store.ts";

export const ReportFlags = z.strictObject({
  out: z.string().min(1, "a file").default("report.html"),
  store: z.string().min(1, "a folder").optional(),
});

/** An evaluation as one HTML file that opens from disk. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("report", ReportFlags, raw);
  const [id, extra] = words;
  if (extra !== undefined) throw new UsageError(`report takes one id, got also "${extra}".`, "report");
  const store = await openStoreToRead(host, flags.store);
  if (store === null) throw new UsageError("There is no evaluation here yet; run one first.", "report");
  try {
    const record = await findEvaluation(store, id, "report");
    const { data, leftOut } = await gatherReport(store, record);
    const page = reportPage(await webBuild("report"), data);
    const path = resolve(host.cwd, flags.out);
    makeFolder(dirname(path));
    await writeFile(path, page);
    printLines(host.stdout, [
      [
        ["✓ ", "green"],
        [`${record.id} is in `],
        [flags.out, "cyan"],
        [`, ${plural(data.view.progress.finished, "run")}`],
      ],
      ...(leftOut === 0
        ? []
        : [[[`  The transcripts of ${plural(leftOut, "right run")} found no room.`, "dim"] as const]]),
    ]);
  } finally {
    await store.close();
  }
  return EXIT.done;
};
