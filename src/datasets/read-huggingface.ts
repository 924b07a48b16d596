import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { EvaluatorError } from "../domain/errors.ts";
import { HIDDEN_KEY } from "../domain/redact.ts";
import { sha256 } from "../system/digest.ts";
import { writeWholeFile } from "../system/write-file.ts";
import type { HuggingFaceOptions } from "./datasets.ts";
import { type RowReading, refuseDeep, toItem } from "./rows.ts";

const HOME = "https://datasets-server.huggingface.co";
/** The most that the rows API gives at once. */
const PAGE_ROWS = 100;

/** Reads a dataset page by page; a page that is kept is not asked for. */
export async function* readHuggingFace(
  dataset: string,
  options: Omit<HuggingFaceOptions, keyof RowReading> & RowReading,
): AsyncGenerator<unknown> {
  const { rows = Number.POSITIVE_INFINITY, cache, refresh = false } = options;
  // A public dataset needs none.
  const token = options.token === HIDDEN_KEY ? undefined : options.token;
  const kept = keptPages(cache, refresh);
  let end = rows;
  for (let offset = 0; offset < end; offset += PAGE_ROWS) {
    const page = await getPage(pageUrl(dataset, options, offset), kept, token, options.revision);
    end = Math.min(end, page.num_rows_total);
    for (const { row, row_idx: index, truncated_cells: cut } of page.rows.slice(0, end - offset)) {
      const place = `row ${index} of ${dataset}`;
      if (cut.length > 0) throw tooLarge(place, cut);
      refuseDeep(row, place);
      const item = await toItem(row, options, index, place);
      if (item !== undefined) yield item;
    }
  }
}

function pageUrl(
  dataset: string,
  {
    config = "default",
    split = "test",
    baseUrl = HOME,
    revision = "",
  }: Pick<HuggingFaceOptions, "config" | "split" | "baseUrl" | "revision">,
  offset: number,
): URL {
  const query = new URLSearchParams({ dataset, config, split, offset: `${offset}`, length: `${PAGE_ROWS}` });
  const url = new URL(`${baseUrl.replace(/\/$/, "")}/rows?${query}`);
  // Not sent: it keeps the pages of each commit apart.
  url.hash = revision;
  return url;
}

async function getPage(
  url: URL,
  kept: KeptPages,
  token: string | undefined,
  revision: string | undefined,
): Promise<RowPage> {
  const known = await kept.find(url);
  if (known !== null) return known;
  const page = await fetchPage(url, token, revision);
  await kept.keep(url, page);
  return page;
}

/** Half a question is another question. */
const tooLarge = (place: string, columns: readonly string[]): EvaluatorError =>
  new EvaluatorError(
    "dataset.truncated",
    `${place} is too large for the rows API, which cut ${columns.join(", ")}; download the dataset and use jsonl()`,
  );

/** What the rows API answers with, as far as it is used. */
const RowPage = z.object({
  rows: z.array(
    z.object({
      row_idx: z.int(),
      row: z.record(z.string(), z.unknown()),
      truncated_cells: z.array(z.string()).default([]),
    }),
  ),
  num_rows_total: z.int().nonnegative(),
});
type RowPage = z.infer<typeof RowPage>;

const MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const TIMEOUT_MS = 60_000;

/** Asks for one page; a server that is busy is asked again, after the time that it names. */
async function fetchPage(
  url: URL,
  token: string | undefined,
  revision: string | undefined,
): Promise<RowPage> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(url, token);
    if (answer.ok) {
      checkRevision(answer, revision);
      return readPage(url, await answer.json());
    }
    const isBusy = answer.status === 429 || answer.status >= 500;
    if (!isBusy || attempt === MAX_ATTEMPTS) throw await refused(url, answer);
    await answer.body?.cancel();
    await sleep(waitMs(answer, attempt));
  }
}

function checkRevision({ headers }: Response, revision: string | undefined): void {
  const found = headers.get("x-revision");
  if (revision === undefined || found === revision) return;
  throw new EvaluatorError(
    "dataset.refused",
    `the dataset is at commit ${found ?? "that its server does not name"}, and \`revision\` asks for ${revision}; ` +
      "the rows API has only the newest, so download that commit and use jsonl() or csv()",
  );
}

async function ask(url: URL, token: string | undefined): Promise<Response> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    return await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (cause) {
    throw new EvaluatorError(
      "dataset.unreachable",
      `${url.origin} cannot be reached; what was read before is kept, so run it again when it can`,
      { cause },
    );
  }
}

function readPage(url: URL, body: unknown): RowPage {
  const page = RowPage.safeParse(body);
  if (page.success) return page.data;
  throw new EvaluatorError("dataset.invalid", `${url.href} does not answer with rows of a dataset`);
}

function waitMs(answer: Response, attempt: number): number {
  const named = Number(answer.headers.get("retry-after") ?? Number.NaN) * 1_000;
  return Math.min(Number.isFinite(named) ? named : FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
}

async function refused(url: URL, answer: Response): Promise<EvaluatorError> {
  const text = await answer.text();
  const next =
    answer.status === 401 || answer.status === 403
      ? "if the dataset is not public, give `token`, and name its variable in the evaluation's `env`"
      : "look at the dataset's name, `config` and `split`";
  return new EvaluatorError(
    answer.status === 429 || answer.status >= 500 ? "dataset.busy" : "dataset.refused",
    `${url.href} answers ${answer.status}: ${text.slice(0, 300)}; ${next}`,
  );
}

/** Pages of a dataset that were read before. */
interface KeptPages {
  find(url: URL): Promise<RowPage | null>;
  keep(url: URL, page: RowPage): Promise<void>;
}

/** A folder that cannot be written keeps nothing, and costs only time. */
function keptPages(folder: string | false | undefined, refresh: boolean): KeptPages {
  if (folder === false) return { find: async () => null, keep: async () => {} };
  const place = folder ?? join(homedir(), ".cache", "agent-evaluator", "datasets");
  const fileOf = (url: URL) => join(place, `${sha256(url.href).slice(0, 32)}.json`);
  return {
    async find(url) {
      return refresh ? null : keptPagesReadPage(fileOf(url));
    },
    async keep(url, page) {
      // A page that cannot be kept, as on a full disk, is fetched again.
      await writeWholeFile(fileOf(url), JSON.stringify(page)).catch(() => {});
    },
  };
}

async function keptPagesReadPage(file: string): Promise<RowPage | null> {
  try {
    return RowPage.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return null; // Never kept, or spoilt: it is fetched again.
  }
}
