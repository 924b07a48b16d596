import { EvaluatorError } from "../domain/errors.ts";
import { Json, MAX_HELD_LEVELS } from "../domain/json.ts";
import type { Columns, DatasetRow, RowMap } from "./datasets.ts";

/** Refuses a row that is nested deeper than anything that is written as a problem. */
export function refuseDeep(row: unknown, place: string): void {
  if (Json.safeParse(row).success) return;
  throw new EvaluatorError(
    "dataset.invalid",
    `${place} is nested deeper than ${MAX_HELD_LEVELS} levels; leave it out`,
  );
}

/** The item that a row stands for; `place` is how people find the row. */
export function toItem(row: DatasetRow, map: RowMap | undefined, index: number, place: string): unknown {
  if (typeof map === "function") return map(row, index);
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
      'say which to take: map: { problem: "question", expected: "answer" }',
  );
