import { EvaluatorError } from "../domain/evaluator-error.ts";
import type { HuggingFaceOptions } from "./huggingface.ts";
import { type KeptPages, keptPages } from "./kept-pages.ts";
import { fetchPage, type RowPage } from "./row-pages.ts";
import { toItem } from "./to-item.ts";

const HOME = "https://datasets-server.huggingface.co";
/** The most that the rows API gives at once. */
const PAGE_ROWS = 100;

/** Reads a dataset page by page; a page that is kept is not asked for. */
export async function* readHuggingFace(
  dataset: string,
  options: HuggingFaceOptions,
): AsyncGenerator<unknown> {
  const { map, rows = Number.POSITIVE_INFINITY, token, cache, refresh = false } = options;
  const kept = keptPages(cache, refresh);
  let end = rows;
  for (let offset = 0; offset < end; offset += PAGE_ROWS) {
    const page = await getPage(pageUrl(dataset, options, offset), kept, token);
    end = Math.min(end, page.num_rows_total);
    for (const { row, row_idx: index, truncated_cells: cut } of page.rows.slice(0, end - offset)) {
      const place = `row ${index} of ${dataset}`;
      if (cut.length > 0) throw tooLarge(place, cut);
      const item = toItem(row, map, index, place);
      if (item !== undefined) yield item;
    }
  }
}

function pageUrl(
  dataset: string,
  { config = "default", split = "test", baseUrl = HOME }: HuggingFaceOptions,
  offset: number,
): URL {
  const query = new URLSearchParams({ dataset, config, split, offset: `${offset}`, length: `${PAGE_ROWS}` });
  return new URL(`${baseUrl.replace(/\/$/, "")}/rows?${query}`);
}

async function getPage(url: URL, kept: KeptPages, token: string | undefined): Promise<RowPage> {
  const known = await kept.find(url);
  if (known !== null) return known;
  const page = await fetchPage(url, token);
  await kept.keep(url, page);
  return page;
}

/** Half a question is another question. */
const tooLarge = (place: string, columns: readonly string[]): EvaluatorError =>
  new EvaluatorError(
    "dataset.truncated",
    `${place} is too large for the rows API, which cut ${columns.join(", ")}; download the dataset and use jsonl()`,
  );
