import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { EvaluatorError } from "../domain/evaluator-error.ts";

/** What the rows API answers with, as far as it is used. */
export const RowPage = z.object({
  rows: z.array(
    z.object({
      row_idx: z.int(),
      row: z.record(z.string(), z.unknown()),
      truncated_cells: z.array(z.string()).default([]),
    }),
  ),
  num_rows_total: z.int().nonnegative(),
});
export type RowPage = z.infer<typeof RowPage>;

const MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const TIMEOUT_MS = 60_000;

/** Asks for one page; a server that is busy is asked again, after the time that it names. */
export async function fetchPage(url: URL, token: string | undefined): Promise<RowPage> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(url, token);
    if (answer.ok) return readPage(url, await answer.json());
    const isBusy = answer.status === 429 || answer.status >= 500;
    if (!isBusy || attempt === MAX_ATTEMPTS) throw await refused(url, answer);
    await answer.body?.cancel();
    await sleep(waitMs(answer, attempt));
  }
}

async function ask(url: URL, token: string | undefined): Promise<Response> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    return await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (cause) {
    throw new EvaluatorError(
      "dataset.unreachable",
      `${url.origin} cannot be reached; what was read before is kept, so run it again when it can`,
      { cause, retryable: true },
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
      ? "give `token` if the dataset is not public"
      : "look at the dataset's name, `config` and `split`";
  return new EvaluatorError(
    "dataset.refused",
    `${url.href} answers ${answer.status}: ${text.slice(0, 300)}; ${next}`,
    { retryable: answer.status === 429 || answer.status >= 500 },
  );
}
