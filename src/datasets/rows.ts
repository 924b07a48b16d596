import type * as z from "zod";
import { EvaluatorError } from "../domain/errors.ts";
import { isRecord, Json, MAX_HELD_LEVELS } from "../domain/json.ts";
import type { Columns, DatasetRow } from "./datasets.ts";

/** Refuses a row that is nested deeper than anything that is written as a problem. */
export function refuseDeep(row: unknown, place: string): void {
  if (Json.safeParse(row).success) return;
  throw new EvaluatorError(
    "dataset.invalid",
    `${place} is nested deeper than ${MAX_HELD_LEVELS} levels; leave it out`,
  );
}

/** Reading of rows into items, whatever their types. */
export interface RowReading {
  readonly schema?: z.ZodType;
  readonly map?: Columns | ((row: never, index: number) => unknown);
}

/** The item that a row stands for; `place` is how people find the row. */
export async function toItem(
  given: DatasetRow,
  { schema, map }: RowReading,
  index: number,
  place: string,
): Promise<unknown> {
  const row = schema === undefined ? given : await readRow(schema, given, place);
  // What the user's own schema gave is what the user's own function takes.
  if (typeof map === "function") return map(row as never, index);
  return isRecord(row) ? itemOf(row, map, place) : row;
}

async function readRow(schema: z.ZodType, row: DatasetRow, place: string): Promise<unknown> {
  const read = await schema.safeParseAsync(row);
  // A schema of problems need not name what every row may have beside them.
  if (read.success) return isRecord(read.data) ? { ...pick(row, BESIDE), ...read.data } : read.data;
  const why = read.error.issues.map(({ path, message }) => `${path.join(".") || "the row"}: ${message}`);
  throw new EvaluatorError("dataset.invalid", `${place} does not fit the schema: ${why.join("; ")}`);
}

const BESIDE = ["id", "tags"];

const pick = (row: DatasetRow, names: readonly string[]): DatasetRow =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]]));

function itemOf(row: DatasetRow, map: Columns | undefined, place: string): unknown {
  const columns = map ?? usualColumns(row);
  const missing = Object.values(columns).find((name) => !Object.hasOwn(row, name));
  if (missing !== undefined) throw noColumn(row, missing, place);
  const { problem, expected, id, tags } = columns;
  return {
    problem: row[problem],
    ...(expected === undefined ? {} : { expected: row[expected] }),
    ...(id === undefined || isEmpty(row[id]) ? {} : { id: String(row[id]) }),
    ...(tags === undefined ? {} : { tags: toTags(row[tags]) }),
  };
}

/** Of the usual columns only the problem has to be there. */
const usualColumns = (row: DatasetRow): Columns => ({
  problem: "problem",
  ...Object.fromEntries(OTHERS.filter((name) => Object.hasOwn(row, name)).map((name) => [name, name])),
});

const OTHERS = ["expected", "id", "tags"] as const satisfies readonly (keyof Columns)[];

const isEmpty = (value: unknown): boolean => value === null || value === "";

function toTags(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  if (isEmpty(value)) return [];
  const tags = String(value).split(",");
  return tags.map((tag) => tag.trim()).filter((tag) => tag !== "");
}

const noColumn = (row: DatasetRow, name: string, place: string): EvaluatorError =>
  new EvaluatorError(
    "dataset.no_column",
    `${place} has no column "${name}", only ${Object.keys(row).join(", ") || "none"}; ` +
      'choose with map: { problem: "question", expected: "answer" }',
  );
