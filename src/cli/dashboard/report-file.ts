import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { preview } from "../../domain/format.ts";
import { countPlanned } from "../../domain/plan.ts";
import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import { StatsFold } from "../../domain/stats/stats.ts";
import type { Store } from "../../store/store.ts";
import { REPORT_PLACE, type ReportData, reportBodyKey } from "../../web/data/report-source.ts";

/** Makes one HTML file with the dashboard and the data; it makes no network requests. */
export function reportPage(folder: string, data: ReportData): string {
  const code = readOne(folder, "js").replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
  const style = readOne(folder, "css");
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(code)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Agent Evaluator</title>
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="${REPORT_PLACE}">${toInlineJson(data)}</script>
<script type="module">${code}</script>
</body>
</html>
`;
}

/** No text in it can end its element. */
const toInlineJson = (data: ReportData): string => JSON.stringify(data).replaceAll("<", "\\u003c");

function readOne(folder: string, ending: "js" | "css"): string {
  const [file = ""] = globSync(`assets/*.${ending}`, { cwd: folder });
  return readFileSync(join(folder, file), "utf8");
}

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`;

/** A size that a browser opens from disk without a pause. */
const MOST_BODY_BYTES = 30 * 1024 * 1024;
const PREVIEW_CHARACTERS = 120;

/**
 * Reads all that a report shows of one evaluation; transcripts of failed and wrong runs come first when room is short, and
 * `leftOut` counts runs whose transcript and output did not fit.
 */
export async function gatherReport(store: Store, record: EvaluationRecord) {
  const fold = StatsFold.of(record);
  const entries: LogEntry[] = [];
  let finished = 0;
  for await (const entry of store.entries(record.id)) {
    fold.add(entry);
    finished++;
    if (entry.round === 1) entries.push(entry);
    else entries.push(...(await store.rounds(record.id, entry.runId)));
  }
  const { bodies, leftOut } = await gatherBodies(store, entries);
  const progress = { finished, total: countPlanned(record) };
  const spent = record.budget === null ? null : await store.spent(record.id);
  const evaluation = { ...record, stats: fold.stats(), progress, spent };
  const data: ReportData = { evaluation, grid: await gatherGrid(store, record), entries, bodies };
  return { data, leftOut };
}

async function gatherGrid(store: Store, record: EvaluationRecord): Promise<ReportData["grid"]> {
  const problems: ReportData["grid"]["problems"] = [];
  for await (const { id, tags, problem } of store.problems(record.id)) {
    problems.push({ id, tags: [...tags], text: preview(problem, PREVIEW_CHARACTERS) });
  }
  let verdicts = "";
  for await (const row of store.verdictRows(record.id)) verdicts += row.verdicts;
  const width = record.models.length * record.trials;
  const rows = problems.map((_, place) => verdicts.slice(place * width, (place + 1) * width));
  return { problems, rows, next: null };
}

async function gatherBodies(store: Store, entries: readonly LogEntry[]) {
  const bodies: Record<string, RunBody> = {};
  let bytes = 0;
  let leftOut = 0;
  for (const entry of entries.toSorted(worstFirst)) {
    const body =
      bytes < MOST_BODY_BYTES ? await store.readBody(entry.evaluationId, entry.runId, entry.round) : null;
    if (body === null) {
      leftOut += bytes < MOST_BODY_BYTES ? 0 : 1;
      continue;
    }
    bytes += JSON.stringify(body).length;
    bodies[reportBodyKey(entry)] = body;
  }
  return { bodies, leftOut };
}

const worstFirst = (a: LogEntry, b: LogEntry): number =>
  Number(a.correct === true) - Number(b.correct === true);
