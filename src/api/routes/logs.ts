import * as z from "zod";
import { EvaluatorError } from "../../domain/errors.ts";
import { type EvaluationId, RunId } from "../../domain/ids.ts";
import { givenOnly } from "../../domain/json.ts";
import { ModelKey } from "../../domain/model.ts";
import { csvHeader, csvRow } from "../../domain/run/entry-csv.ts";
import { FailureCause } from "../../domain/run/failure.ts";
import { type CapturedOutput, LogEntry, type RunBody } from "../../domain/run/log-entry.ts";
import { wholeEntry } from "../../engine/whole-entry.ts";
import type { Store } from "../../store/store.ts";
import { LogPage, RunPart, RunView } from "../answers.ts";
import {
  EvaluationPath,
  jsonAnswer,
  knownEvaluation,
  pageQuery,
  RequestError,
  route,
  yesOrNo,
} from "../route.ts";

/** Answers with a text, or with the bytes of it that the `Range` header asks for, as far as one answer goes. */
function rangedAnswer(request: Request, text: string, type: string, maxAnswerBytes: number | null): Response {
  const bytes = new TextEncoder().encode(text);
  const most = maxAnswerBytes ?? Number.POSITIVE_INFINITY;
  const headers = { "content-type": type, "accept-ranges": "bytes" };
  const from = firstByte(request.headers.get("range"));
  if (from === null || bytes.length === 0) {
    if (bytes.length <= most) return new Response(bytes, { headers });
    throw new RequestError(
      "answer.too_large",
      `this has ${bytes.length} bytes; request it in parts with the header Range: bytes=0-`,
    );
  }
  if (from.start >= bytes.length) {
    return new Response(null, { status: 416, headers: { "content-range": `bytes */${bytes.length}` } });
  }
  const end = Math.min(bytes.length, from.end + 1, from.start + most);
  const range = `bytes ${from.start}-${end - 1}/${bytes.length}`;
  return new Response(bytes.subarray(from.start, end), {
    status: 206,
    headers: { ...headers, "content-range": range },
  });
}

/** Other forms of ranges may be ignored, and are. */
function firstByte(range: string | null): { start: number; end: number } | null {
  const [, start, end] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(range ?? "") ?? [];
  if (start === undefined) return null;
  const last = end ? Number(end) : Number.POSITIVE_INFINITY;
  return last < Number(start) ? null : { start: Number(start), end: last };
}

const Part = z.enum(["transcript", "stdout", "stderr", "result"]);
type Part = z.infer<typeof Part>;

/** Names a run by its id, or by its number in the plan, which is what a grid knows. */
const RunName = z.union(
  [
    RunId,
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ],
  "expected the id of a run, or its number",
);

const RunPath = EvaluationPath.extend({ runId: RunName });

/** Finds every round of a run, and the one that counts or was asked for. */
async function knownRun(
  store: Store,
  { id, runId }: z.output<typeof RunPath>,
  round?: number,
): Promise<{ entry: RunView["entry"]; rounds: readonly RunView["entry"][] }> {
  await knownEvaluation(store, id);
  const known = typeof runId === "number" ? await idOfNumber(store, id, runId) : runId;
  const rounds = known === null ? [] : await store.rounds(id, known);
  const entry = round === undefined ? rounds.at(-1) : rounds.find((each) => each.round === round);
  if (entry !== undefined) return { entry, rounds };
  const which = round === undefined ? "" : ` in round ${round}`;
  throw new EvaluatorError("run.unknown", `no run ${runId} of ${id} has ended${which}`);
}

async function idOfNumber(store: Store, id: EvaluationId, number: number): Promise<RunId | null> {
  for await (const { runId } of store.entries(id, { fromIndex: number, toIndex: number + 1 })) return runId;
  return null;
}

const PartPath = RunPath.extend({ part: Part });

export const showRunPart = route(
  {
    method: "get",
    path: "/evaluations/{id}/logs/{runId}/{part}",
    summary: "A part of a run that is too large for its log entry; output is text unless JSON is requested",
    params: PartPath,
    query: z.strictObject({ round: z.coerce.number().int().positive().optional() }),
    answers: {
      200: { description: "The part", content: { "application/json": RunPart, "text/plain": null } },
      206: { description: "The requested range", content: { "text/plain": null } },
    },
  },
  async ({ params, query, request }, { store, maxAnswerBytes }) => {
    const { entry } = await knownRun(store, params, query.round);
    const body = await store.readBody(params.id, entry.runId, entry.round);
    if (body === null) {
      throw new EvaluatorError("body.missing", `run ${params.runId} has no ${params.part}: it never started`);
    }
    const wantsJson = /\bapplication\/json\b/.test(request.headers.get("accept") ?? "");
    const { text, type } = partOf(body, params.part, wantsJson);
    return rangedAnswer(request, text, type, maxAnswerBytes);
  },
);

function partOf(body: RunBody, part: Part, wantsJson: boolean): { text: string; type: string } {
  const output = part === "stdout" || part === "stderr";
  if (output && !wantsJson) return { text: printed(body[part]), type: "text/plain; charset=utf-8" };
  return { text: JSON.stringify(body[part]), type: "application/json" };
}

const printed = ({ head, tail, droppedBytes }: CapturedOutput): string =>
  droppedBytes === 0 ? `${head}${tail}` : `${head}\n… ${droppedBytes} bytes not kept …\n${tail}`;

export const showLog = route(
  {
    method: "get",
    path: "/evaluations/{id}/logs/{runId}",
    summary: "One run, with all its rounds",
    params: RunPath,
    answers: { 200: jsonAnswer("The run", RunView) },
  },
  async ({ params }, { store }) => Response.json(await knownRun(store, params)),
);

/** An entry is at most some kilobytes, so that a page of these fits into any answer. */
const MOST_LOGS = 500;

const RunNumber = z.coerce.number().int().nonnegative();

export const listLogs = route(
  {
    method: "get",
    path: "/evaluations/{id}/logs",
    summary: "Log entries in plan order; for each run, its latest round",
    params: EvaluationPath,
    query: z.strictObject({
      model: ModelKey.optional(),
      correct: yesOrNo.optional(),
      cause: FailureCause.optional(),
      failed: yesOrNo.optional(),
      /** Numbers of runs in the plan: from this one, and up to but not with that one. */
      from: RunNumber.optional(),
      to: RunNumber.optional(),
      ...pageQuery(MOST_LOGS, 100),
    }),
    answers: { 200: jsonAnswer("A page of log entries", LogPage) },
  },
  async ({ params, query: { cursor, limit, from, to, ...rest } }, { store }) => {
    const { id } = await knownEvaluation(store, params.id);
    const filter = givenOnly({ ...rest, fromIndex: from, toIndex: to });
    const { items, next } = await store.pageEntries(id, filter, { limit, ...givenOnly({ cursor }) });
    return Response.json({ logs: items, next });
  },
);

const Format = z.enum(["jsonl", "csv"]);
type Format = z.infer<typeof Format>;

const TYPES = {
  jsonl: "application/jsonl; charset=utf-8",
  csv: "text/csv; charset=utf-8",
} as const satisfies Record<Format, string>;

const PAGE = 200;

export const exportLogs = route(
  {
    method: "get",
    path: "/evaluations/{id}/export",
    summary:
      "All log entries with their results; if it is cut short, the header next-cursor says where to continue",
    params: EvaluationPath,
    query: z.strictObject({ format: Format.default("jsonl"), cursor: pageQuery(1, 1).cursor }),
    answers: {
      200: { description: "A line per run", content: { "application/jsonl": LogEntry, "text/csv": null } },
    },
  },
  async ({ params, query: { format, cursor } }, { store, maxAnswerBytes }) => {
    const { id } = await knownEvaluation(store, params.id);
    const headers = {
      "content-type": TYPES[format],
      "content-disposition": `attachment; filename="${id}.${format}"`,
    };
    // An answer that has begun cannot be refused any more.
    await store.pageEntries(id, {}, { limit: 1, ...givenOnly({ cursor }) });
    const parts = exportParts(store, id, format, cursor);
    if (maxAnswerBytes === null) return new Response(ReadableStream.from(encoded(parts)), { headers });
    const { text, next } = await gather(parts, maxAnswerBytes);
    return new Response(text, { headers: { ...headers, ...(next === null ? {} : { "next-cursor": next }) } });
  },
);

interface ExportPart {
  readonly text: string;
  readonly next: string | null;
}

async function* exportParts(
  store: Store,
  id: EvaluationId,
  format: Format,
  first: string | undefined,
): AsyncGenerator<ExportPart> {
  if (first === undefined && format === "csv") yield { text: csvHeader(), next: null };
  for (let cursor = first; ; ) {
    const { items, next } = await store.pageEntries(id, {}, { limit: PAGE, ...givenOnly({ cursor }) });
    let text = "";
    for (const item of items) text += lineOf(await wholeEntry(store, item), format);
    yield { text, next };
    if (next === null) return;
    cursor = next;
  }
}

const lineOf = (entry: LogEntry, format: Format): string =>
  format === "csv" ? csvRow(entry) : `${JSON.stringify(entry)}\n`;

async function* encoded(parts: AsyncIterable<ExportPart>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const { text } of parts) if (text !== "") yield encoder.encode(text);
}

/** Whole pages as far as one answer goes, and always at least one, so that every answer gets further. */
async function gather(parts: AsyncIterable<ExportPart>, maxBytes: number): Promise<ExportPart> {
  const encoder = new TextEncoder();
  let text = "";
  let bytes = 0;
  let last: string | null = null;
  for await (const part of parts) {
    const more = encoder.encode(part.text).length;
    if (last !== null && bytes + more > maxBytes) return { text, next: last };
    text += part.text;
    bytes += more;
    last = part.next;
  }
  return { text, next: null };
}
