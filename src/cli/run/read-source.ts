import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import * as z from "zod";
import { plural } from "../../domain/format.ts";
import type { EvaluationId } from "../../domain/ids.ts";
import { ModelKey, modelKey } from "../../domain/model.ts";
import { digestOfProblem } from "../../domain/problem.ts";
import { LogEntry } from "../../domain/run/log-entry.ts";
import { Outcomes } from "../../statistics/outcomes.ts";
import type { ComparedSide } from "../../statistics/report.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../system/digest.ts";
import { UsageError } from "../exit.ts";
import type { CliHost } from "../host.ts";
import { findEvaluation, type LazyStore } from "../store.ts";

/** One side of a comparison, with a name that users know. */
export interface ComparedSource extends ComparedSide {
  /** The evaluation's id, or the file as it was typed. */
  readonly name: string;
  readonly outcomes: Outcomes;
  readonly contents: ProblemContents;
}

/** Digests of what each problem is, by id. */
type ProblemContents = ReadonlyMap<string, string>;

/** Reads what the problems of a stored evaluation are. */
export async function readContents(
  store: Pick<Store, "problems">,
  id: EvaluationId,
): Promise<ProblemContents> {
  const contents = new Map<string, string>();
  for await (const problem of store.problems(id)) contents.set(problem.id, digestOfProblem(problem, sha256));
  return contents;
}

const MOST_NAMED = 5;

/** Warns of problems that two evaluations have under the same ids, but with other contents; null where there are none. */
export function contentWarning(
  candidate: ProblemContents,
  baseline: ProblemContents,
  name: string,
): string | null {
  const changed = [...candidate].flatMap(([id, content]) =>
    (baseline.get(id) ?? content) === content ? [] : [id],
  );
  if (changed.length === 0) return null;
  const more = changed.length > MOST_NAMED ? `, … ${changed.length - MOST_NAMED} more` : "";
  return (
    `${plural(changed.length, "problem")} changed since ${name} but kept the same id ` +
    `(${changed.slice(0, MOST_NAMED).join(", ")}${more}), so the difference is not only the models'; ` +
    "give changed problems new ids."
  );
}

/** Reads `ID`, `NAME@latest`, either with `:provider/model`, or a file that `--json` or `--jsonl` wrote. */
export async function readSource({ cwd }: CliHost, store: LazyStore, typed: string): Promise<ComparedSource> {
  const path = resolve(cwd, typed);
  if ((await stat(path).catch(() => null))?.isFile()) {
    return { name: typed, model: null, ...(await readEntriesFile(path, typed)) };
  }
  // A name may hold a colon, and the name of a variant comes after an @ too.
  const named = /^[^/]+?@(?:latest|previous)(?=:|$)/s.exec(typed)?.[0];
  const colon = named === typed ? -1 : (named?.length ?? typed.indexOf(":"));
  const id = colon < 0 ? typed : typed.slice(0, colon);
  if (LIKE_A_FILE.test(id)) throw new UsageError(`The file ${typed} does not exist.`);
  const model = colon < 0 ? null : readModel(typed.slice(colon + 1));
  return readEvaluation(await store.openToRead(), id, model);
}

/** Matches what cannot be an id: it lies in a folder, or ends as the files do. */
const LIKE_A_FILE = /[\\/]|\.jsonl?$/i;

async function readEvaluation(
  store: Store | null,
  id: string,
  model: ModelKey | null,
): Promise<ComparedSource> {
  if (store === null) {
    throw new UsageError(`There is no evaluation here yet, and no file ${id}; run one first.`);
  }
  const record = await findEvaluation(store, id);
  const outcomes = new Outcomes(record.models.map(modelKey));
  for await (const entry of store.entries(record.id)) outcomes.addEntry(entry);
  const isRunning = record.status === "running";
  const contents = await readContents(store, record.id);
  return { name: record.id, evaluation: record.id, model, outcomes, contents, isRunning };
}

function readModel(text: string): ModelKey {
  const model = ModelKey.safeParse(text);
  if (model.success) return model.data;
  throw new UsageError(`After the id comes :provider/model, got ":${text}".`);
}

const Counted = LogEntry.pick({
  evaluationId: true,
  providerKey: true,
  model: true,
  variant: true,
  problemId: true,
  problem: true,
  expected: true,
  tags: true,
  correct: true,
  failure: true,
  score: true,
  metrics: true,
});
const Document = z.object({ evaluation: z.object({ status: z.string() }), logs: z.array(Counted) });

/** Reads the outcomes in a file of `--json` (one document) or `--jsonl` (an entry per line). */
async function readEntriesFile(
  path: string,
  typed: string,
): Promise<Pick<ComparedSource, "evaluation" | "outcomes" | "contents"> & Pick<ComparedSide, "isRunning">> {
  const text = await readFile(path, "utf8");
  const outcomes = new Outcomes();
  const contents = new Map<string, string>();
  let evaluation = typed;
  try {
    const { entries, isRunning } = readEntries(text);
    for (const entry of entries) {
      outcomes.addEntry(entry);
      evaluation = entry.evaluationId;
      contents.set(entry.problemId, digestOfProblem(entry, sha256));
    }
    return { evaluation, outcomes, contents, isRunning };
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error).split("\n")[0] : String(error);
    throw new UsageError(`${typed} is not the output of --json or --jsonl of one evaluation: ${why}.`);
  }
}

function readEntries(text: string): { entries: Iterable<z.output<typeof Counted>>; isRunning: boolean } {
  if (!text.startsWith('{"evaluation"')) return { entries: entriesOf(text), isRunning: false };
  const { evaluation, logs } = Document.parse(JSON.parse(text));
  return { entries: logs, isRunning: /^(running|interrupted)$/.test(evaluation.status) };
}

function* entriesOf(text: string): Generator<z.output<typeof Counted>> {
  for (const line of text.split("\n")) {
    if (line.trim() !== "") yield Counted.parse(JSON.parse(line));
  }
}
