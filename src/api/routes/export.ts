import * as z from "zod";
import type { EvaluationId } from "../../domain/ids.ts";
import { csvHeader, csvRow } from "../../domain/run/entry-csv.ts";
import { LogEntry } from "../../domain/run/log-entry.ts";
import { wholeEntry } from "../../engine/whole-entry.ts";
import type { Store } from "../../store/store.ts";
import { EvaluationPath, knownEvaluation, pageQuery, pageRequest, route } from "../route.ts";

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
    summary: "All log entries with their results; where it is cut, the header next-cursor says how to go on",
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
    const { items, next } = await store.pageEntries(id, {}, pageRequest({ cursor, limit: PAGE }));
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
