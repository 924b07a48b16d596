import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ModelKey, modelKey } from "../../domain/model.ts";
import type { ComparedSide } from "../../domain/statistics/compare-evaluations.ts";
import { Outcomes } from "../../domain/statistics/outcomes.ts";
import type { Store } from "../../store/contract.ts";
import { findEvaluation } from "../find-evaluation.ts";
import { UsageError } from "../usage-error.ts";
import { readEntriesFile } from "./entries-file.ts";

/** One side of a comparison, by the name that people know it by. */
export interface Source extends ComparedSide {
  /** The evaluation's id, or the file as it was typed. */
  readonly name: string;
}

export interface SourceReader {
  readonly cwd: string;
  /** Asked only for what is no file; null where there is none. */
  readonly openStore: () => Promise<Store | null>;
  readonly command: string;
}

/** Reads `ID`, `ID:provider/model`, or a file that `--json` or `--jsonl` wrote. */
export async function readSource(reader: SourceReader, typed: string): Promise<Source> {
  if (await isFile(resolve(reader.cwd, typed))) {
    const outcomes = await readEntriesFile(resolve(reader.cwd, typed), typed, reader.command);
    return { name: typed, model: null, outcomes };
  }
  const colon = typed.indexOf(":");
  const id = colon < 0 ? typed : typed.slice(0, colon);
  if (LIKE_A_FILE.test(id)) throw new UsageError(`The file ${typed} does not exist.`, reader.command);
  const model = colon < 0 ? null : readModel(typed.slice(colon + 1), reader.command);
  return readEvaluation(reader, id, model);
}

/** What no id is: it lies in a folder, or ends as the files do. */
const LIKE_A_FILE = /[\\/]|\.jsonl?$/i;

async function readEvaluation(
  { openStore, command }: SourceReader,
  id: string,
  model: ModelKey | null,
): Promise<Source> {
  const store = await openStore();
  if (store === null) {
    throw new UsageError(`There is no evaluation here yet, and no file ${id}; run one first.`, command);
  }
  const record = await findEvaluation(store, id, command);
  const outcomes = new Outcomes(record.models.map(modelKey));
  for await (const entry of store.entries(record.id)) outcomes.addEntry(entry);
  return { name: record.id, model, outcomes };
}

function readModel(text: string, command: string): ModelKey {
  const model = ModelKey.safeParse(text);
  if (model.success) return model.data;
  throw new UsageError(`After the id comes :provider/model, got ":${text}".`, command);
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
