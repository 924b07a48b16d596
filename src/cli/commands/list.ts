import * as z from "zod";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { formatShortTime } from "../../domain/format.ts";
import { givenOnly } from "../../domain/json.ts";
import { countPlanned } from "../../domain/plan.ts";
import { defineCommand, FLAGS, flagSwitch, wholeNumber } from "../command.ts";
import { EXIT, UsageError } from "../exit.ts";
import { seenRecord, statusSpan } from "../pages/document.ts";
import { modelsCell } from "../pages/stats-table.ts";
import { commandFor, openReader } from "../store.ts";
import { BLANK, jsonLine, type Line, printLines } from "../text/screen.ts";
import { type Column, layTable, numberColumn } from "../text/table.ts";

/** Lists evaluations, newest first. */
export const listCommand = defineCommand({
  flags: {
    name: { value: "NAME", help: "only evaluations of this name", check: z.string().optional() },
    limit: { value: "N", help: "at most N (default 20)", check: wholeNumber.default(20) },
    json: { help: "print only { evaluations } as JSON", check: flagSwitch },
    ...FLAGS.store,
    ...FLAGS.remote,
  },
  async execute(host, words, flags) {
    if (words.length > 0) throw new UsageError(`list takes no "${words[0]}"; --name filters.`);
    await using reader = await openReader(host, flags);
    const filter = givenOnly({ limit: flags.limit, name: flags.name });
    const records = (await reader?.listEvaluations(filter)) ?? [];
    if (flags.json) host.stdout.write(`${jsonLine({ evaluations: records.map(seenRecord) })}\n`);
    else if (records.length === 0) printLines(host.stdout, emptyLines(flags.name, host.commandName));
    else printLines(host.stdout, listLines(records, host.stdout.columns, commandFor(host, flags)));
    return EXIT.done;
  },
});

function emptyLines(name: string | undefined, commandName: string): Line[] {
  if (name !== undefined) return [[[`No evaluation here is named ${name}.`]]];
  return [[["No evaluations here yet. Write a first one: "], [`${commandName} init`, "cyan"]]];
}

function listLines(
  records: readonly EvaluationRecord[],
  width: number,
  command: (words: string) => string,
): Line[] {
  const rows = records.map((record) => [
    record.id,
    [statusSpan(record)],
    formatShortTime(record.startedAt, new Date()),
    String(countPlanned(record)),
    [modelsCell(record)],
  ]);
  return [
    ...layTable({ columns: COLUMNS, rows }, width),
    BLANK,
    [
      [command(`show ${records[0]?.id}`), "cyan"],
      ["  show details", "dim"],
    ],
  ];
}

const COLUMNS: readonly Column[] = [
  { title: "id" },
  { title: "status" },
  { title: "started" },
  numberColumn("runs"),
  { title: "accuracy by model", mayShrink: true },
];
