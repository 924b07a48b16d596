import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { didYouMean } from "../domain/format.ts";
import { EvaluationId, RunId } from "../domain/ids.ts";
import type { LogEntry } from "../domain/run/log-entry.ts";
import type { Store } from "../store/store.ts";
import { UsageError } from "./exit.ts";
import type { CliHost } from "./host.ts";
import { shellWord } from "./text/screen.ts";

/** The part of a store that reading commands need, of this machine or behind an API. */
export type EvaluationReader = Pick<
  Store,
  "findEvaluation" | "listEvaluations" | "entries" | "verdictRows" | "rounds" | "readBody"
>;

export interface ReaderFlags {
  readonly store?: string | undefined;
  readonly remote?: string | undefined;
  readonly token?: string | undefined;
}

/** Opens the API that the flags name, or else the store of this folder; null where there is no store. */
export async function openReader(
  host: CliHost,
  flags: ReaderFlags,
): Promise<(EvaluationReader & AsyncDisposable) | null> {
  if (flags.remote === undefined) return openStoreToRead(host, flags.store);
  if (flags.store !== undefined) throw new UsageError("--store and --remote do not go together.");
  const { openApi, remoteReader } = await import("./remote/reader.ts");
  const reader = remoteReader(openApi(host, flags.remote, flags.token));
  return Object.assign(reader, { [Symbol.asyncDispose]: async () => {} });
}

/** Returns what was opened; where there is no store, the user is told to run an evaluation first. */
export function mustExist<Opened>(opened: Opened | null): Opened {
  if (opened !== null) return opened;
  throw new UsageError("There is no evaluation here yet; run one first.");
}

/** Finds the evaluation with this id, or the only one whose id starts with it; without an id the newest. */
export async function findEvaluation(
  store: EvaluationReader,
  typed: string | undefined,
): Promise<EvaluationRecord> {
  if (typed === undefined) return mustExist((await store.listEvaluations({ limit: 1 }))[0] ?? null);
  const named = NAMED.exec(typed)?.groups;
  if (named?.name !== undefined) return findNamed(store, named.name, named.which === "latest" ? 0 : 1);
  const id = EvaluationId.safeParse(typed);
  const exact = id.success ? await store.findEvaluation(id.data) : null;
  if (exact !== null) return exact;
  const close = (await store.listEvaluations()).filter((record) => record.id.startsWith(typed));
  const none = `No evaluation "${typed}". Run \`list\` to see all.`;
  return theOnly(close, (record) => record.id, none);
}

/** Matches the newest evaluation of a name, or the one before it: `rag@latest`, `rag@previous`. */
const NAMED = /^(?<name>.+)@(?<which>latest|previous)$/s;

async function findNamed(store: EvaluationReader, name: string, back: 0 | 1): Promise<EvaluationRecord> {
  const records = await store.listEvaluations({ name, limit: 2 });
  const found = records[back];
  if (found !== undefined) return found;
  if (records.length > 0)
    throw new UsageError(`There is only one evaluation named "${name}", none before it.`);
  const names = (await store.listEvaluations()).map((record) => record.name);
  throw new UsageError(`No evaluation is named "${name}".${didYouMean(name, [...new Set(names)])}`);
}

/** Finds a run of the evaluation in the same way. */
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
  const none = `No run "${typed}" in ${evaluation}; --logs shows all runs.`;
  return theOnly(close, (entry) => entry.runId, none);
}

const MOST_NAMED = 5;

function theOnly<Item>(close: readonly Item[], idOf: (item: Item) => string, none: string): Item {
  const [only, ...others] = close;
  if (only === undefined) throw new UsageError(none);
  if (others.length === 0) return only;
  const names = close.slice(0, MOST_NAMED).map(idOf).join(", ");
  const more = close.length > MOST_NAMED ? ", …" : "";
  throw new UsageError(`Ambiguous id: ${names}${more}. Type more of the id.`);
}

/** Reads one character of `VERDICT` per run of an evaluation, in plan order. */
export async function readVerdicts(reader: EvaluationReader, id: EvaluationId): Promise<string> {
  let verdicts = "";
  for await (const row of reader.verdictRows(id)) verdicts += row.verdicts;
  return verdicts;
}

/** The store of one call of a command, opened when it is first needed: a refused call leaves no folder behind. */
export function lazyStore(host: CliHost, path: string | undefined) {
  let opened: OpenStore | null = null;
  return {
    /** Created when there is none. */
    open: async () => (opened ??= await openStore(host, path)),
    /** Null when there is none. */
    openToRead: async () => (opened ??= await openStoreToRead(host, path)),
    [Symbol.asyncDispose]: async () => opened?.close(),
  };
}
export type LazyStore = ReturnType<typeof lazyStore>;

export const DEFAULT_STORE = ".agent-evaluator";

/** A store that is closed at the end of a block. */
type OpenStore = Store & AsyncDisposable;

/** Opens the store of this folder; it is created when there is none. */
export async function openStore(host: CliHost, path: string | undefined): Promise<OpenStore> {
  const { openSqliteStore } = await import("../store/sqlite/sqlite-store.ts");
  const store = openSqliteStore(resolve(host.cwd, path ?? DEFAULT_STORE));
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}

/** Opens the store for reading; null when there is none, because reading must not leave a folder behind. */
export async function openStoreToRead(host: CliHost, path: string | undefined): Promise<OpenStore | null> {
  if (existsSync(resolve(host.cwd, path ?? DEFAULT_STORE))) return openStore(host, path);
  if (path !== undefined) throw new UsageError(`There is no store at ${path}.`);
  return null;
}

/** Makes command lines that use the same store, or the same API, again. */
export const commandFor =
  (
    host: CliHost,
    { store, remote }: { readonly store?: string | undefined; readonly remote?: string | undefined },
  ) =>
  (words: string): string =>
    [
      `${host.commandName} ${words}`,
      ...(store === undefined ? [] : [`--store ${shellWord(store)}`]),
      ...(remote === undefined ? [] : [`--remote ${shellWord(remote)}`]),
    ].join(" ");
