import { EvaluatorError } from "../domain/errors.ts";
import type { JsonlOptions, Row } from "./datasets.ts";
import { nameOf, readText, refuseDeep, toItem } from "./rows.ts";

/** Reads a JSONL file line by line; blank lines are none. */
export async function* readJsonl(file: string | URL, { map }: JsonlOptions): AsyncGenerator<unknown> {
  let line = 0;
  let index = 0;
  for await (const text of lines(readText(file))) {
    line++;
    if (text.trim() === "") continue;
    const place = `${nameOf(file)}:${line}`;
    const value = parse(text, place);
    refuseDeep(value, place);
    const item = map === undefined ? value : toItem(asRow(value, place), map, index, place);
    index++;
    if (item !== undefined) yield item;
  }
}

async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  yield rest;
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EvaluatorError("dataset.invalid", `${place} is no JSON (${why}); each line is one value`, {
      cause,
    });
  }
}

function asRow(value: unknown, place: string): Row {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Row;
  throw new EvaluatorError(
    "dataset.invalid",
    `${place} is no object, so it has no columns; leave out \`map\``,
  );
}
