import * as z from "zod";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { formatShortTime } from "../../domain/format.ts";
import type { Execute } from "../command-table.ts";
import { EXIT, UsageError } from "../errors.ts";
import { flagSwitch, readFlags, remoteFlags, wholeNumber } from "../flags.ts";
import { seenRecord, statusSpan } from "../pages/document.ts";
import { modelsCell } from "../pages/stats-table.ts";
import { openReader } from "../remote/open-reader.ts";
import { printLines } from "../screen.ts";
import { commandFor } from "../store.ts";
import { BLANK, type Line } from "../text/line.ts";
import { type Column, layTable } from "../text/table.ts";

export const ListFlags = z.strictObject({
  name: z.string().optional(),
  limit: wholeNumber.default(20),
  json: flagSwitch,
  store: z.string().min(1, "a folder").optional(),
  ...remoteFlags,
});

/** Evaluations, newest first. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("list", ListFlags, raw);
  if (words.length > 0) throw new UsageError(`list takes no "${words[0]}"; --name filters.`, "list");
  const store = await openReader(host, flags, "list");
  const filter = { limit: flags.limit, ...(flags.name === undefined ? {} : { name: flags.name }) };
  const records = (await store?.listEvaluations(filter)) ?? [];
  await store?.close();
  if (flags.json) host.stdout.write(`${JSON.stringify({ evaluations: records.map(seenRecord) })}\n`);
  else if (records.length === 0) printLines(host.stdout, emptyLines(flags.name, host.commandName));
  else
    printLines(
      host.stdout,
      listLines(records, host.stdout.columns, commandFor(host, flags.store, flags.remote)),
    );
  return EXIT.done;
};

function emptyLines(name: string | undefined, commandName: string): Line[] {
  if (name !== undefined) return [[[`No evaluation here is named ${name}.`]]];
  return [[["No evaluations here yet. A first one: "], [`${commandName} init`, "cyan"]]];
}

function listLines(
  records: readonly EvaluationRecord[],
  width: number,
  command: (words: string) => string,
): Line[] {
  const rows = records.map((record) => [
    [record.id] as const,
    statusSpan(record),
    [formatShortTime(record.startedAt, new Date())] as const,
    [String(record.models.length * record.problemCount * record.trials)] as const,
    modelsCell(record),
  ]);
  return [
    ...layTable(COLUMNS, rows, width),
    BLANK,
    [
      [command(`show ${records[0]?.id}`), "cyan"],
      ["  looks inside", "dim"],
    ],
  ];
}

const COLUMNS: readonly Column[] = [
  { title: "id" },
  { title: "status" },
  { title: "started" },
  { title: "runs", align: "right" },
  { title: "accuracy by model", mayShrink: true },
];
