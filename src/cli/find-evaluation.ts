import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluationId, RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import type { Store } from "../store/store.ts";
import { UsageError } from "./errors.ts";

/** The evaluation with this id, or the only one whose id starts so; without an id the newest. */
export async function findEvaluation(
  store: EvaluationReader,
  typed: string | undefined,
  command: string,
): Promise<EvaluationRecord> {
  if (typed === undefined) return newest(store, command);
  const id = EvaluationId.safeParse(typed);
  const exact = id.success ? await store.findEvaluation(id.data) : null;
  if (exact !== null) return exact;
  const close = (await store.listEvaluations()).filter((record) => record.id.startsWith(typed));
  return theOnly(close, (record) => record.id, `evaluation ${typed}; list shows those there are`, command);
}

/** The same for a run of the evaluation. */
export async function findRun(
  store: EvaluationReader,
  evaluation: EvaluationId,
  typed: string,
): Promise<LogEntry> {
  const exact = RunId.safeParse(typed);
  const filter = exact.success ? { runIds: [exact.data] } : {};
  const close: LogEntry[] = [];
  for await (const entry of store.entries(evaluation, filter)) {
    if (entry.runId.startsWith(typed)) close.push(entry);
    if (close.length > MOST_NAMED) break;
  }
  return theOnly(close, (entry) => entry.runId, `run ${typed} in ${evaluation}; --logs shows all`, "show");
}

const MOST_NAMED = 5;

async function newest(store: EvaluationReader, command: string): Promise<EvaluationRecord> {
  const [record] = await store.listEvaluations({ limit: 1 });
  if (record !== undefined) return record;
  throw new UsageError("There is no evaluation here yet; run one first.", command);
}

function theOnly<Item>(
  close: readonly Item[],
  idOf: (item: Item) => string,
  what: string,
  command: string,
): Item {
  const [only, ...others] = close;
  if (only === undefined) throw new UsageError(`There is no ${what}.`, command);
  if (others.length === 0) return only;
  const names = close.slice(0, MOST_NAMED).map(idOf).join(", ");
  throw new UsageError(
    `More than one fits: ${names}${close.length > MOST_NAMED ? ", …" : ""}. Type more of the id.`,
    command,
  );
}

/** One character of `VERDICT` per run of an evaluation, in plan order. */
export async function readVerdicts(reader: EvaluationReader, id: EvaluationId): Promise<string> {
  let verdicts = "";
  for await (const row of reader.verdictRows(id)) verdicts += row.verdicts;
  return verdicts;
}

/** What a command that only looks needs of a store, whether it is here or behind an API. */
export type EvaluationReader = Pick<
  Store,
  "findEvaluation" | "listEvaluations" | "entries" | "verdictRows" | "rounds" | "readBody" | "close"
>;
