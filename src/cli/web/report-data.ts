import { NO_SPEND } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { LogEntry } from "../../domain/log-entry.ts";
import { modelKey } from "../../domain/model.ts";
import type { RunBody } from "../../domain/run-body.ts";
import { countPlanned } from "../../domain/run-number.ts";
import { preview } from "../../domain/show/preview.ts";
import { StatsFold } from "../../domain/stats.ts";
import type { Store } from "../../store/contract.ts";
import { bodyKey, type ReportData } from "../../web/data/report-data.ts";

/** What a browser opens from disk without a pause. */
const MOST_BODY_BYTES = 30 * 1024 * 1024;
const PREVIEW_CHARACTERS = 120;

export interface GatheredReport {
  readonly data: ReportData;
  /** Runs whose transcript and output found no room. */
  readonly leftOut: number;
}

/** All that a report shows of one evaluation; transcripts of failed and wrong runs come first when room is short. */
export async function gatherReport(store: Store, record: EvaluationRecord): Promise<GatheredReport> {
  const fold = new StatsFold(record.models.map(modelKey), record.problemCount * record.trials);
  const entries: LogEntry[] = [];
  let finished = 0;
  for await (const entry of store.entries(record.id)) {
    fold.add(entry);
    finished++;
    if (entry.round === 1) entries.push(entry);
    else entries.push(...(await store.rounds(record.id, entry.runId)));
  }
  const { bodies, leftOut } = await gatherBodies(store, entries);
  const progress = { finished, planned: countPlanned(record) };
  const spent = record.budget === null ? null : await store.addSpend(record.id, NO_SPEND);
  const view = { evaluation: { ...record, stats: null }, stats: fold.stats(), progress, spent };
  return { data: { view, grid: await gatherGrid(store, record), entries, bodies }, leftOut };
}

async function gatherGrid(store: Store, { id }: EvaluationRecord): Promise<ReportData["grid"]> {
  const problems: ReportData["grid"]["problems"][number][] = [];
  for await (const problem of store.problems(id)) {
    const { id: problemId, tags } = problem;
    problems.push({ id: problemId, tags, text: preview(problem.problem, PREVIEW_CHARACTERS) });
  }
  let verdicts = "";
  for await (const row of store.verdictRows(id)) verdicts += row.verdicts;
  return { problems, verdicts, next: null };
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
    bodies[bodyKey(entry)] = body;
  }
  return { bodies, leftOut };
}

const worstFirst = (a: LogEntry, b: LogEntry): number =>
  Number(a.correct === true) - Number(b.correct === true);
