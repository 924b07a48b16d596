import * as z from "zod";
import { EvaluationPage, Grid, LogPage, RunView } from "../../api/answers.ts";
import { EvaluatorError } from "../../domain/errors.ts";
import { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId, RunId } from "../../domain/ids.ts";
import { Json } from "../../domain/json.ts";
import { CapturedOutput, type LogEntry, type RunBody, TranscriptStep } from "../../domain/run/log-entry.ts";
import type { VerdictRow } from "../../domain/run/verdict.ts";
import type { EntryFilter, EvaluationFilter } from "../../store/store.ts";
import { systemClock } from "../../system/clock.ts";
import type { EvaluationReader } from "../evaluation-reader.ts";
import type { CliHost } from "../host.ts";
import { ApiClient } from "./api-client.ts";

const MOST_EVALUATIONS = 100;
const MOST_LOGS = 500;

/** Calls an API with the given token, or with that of the environment. */
export const openApi = (host: CliHost, url: string, given: string | undefined): ApiClient =>
  // Without a token the API is asked all the same: only its answer tells a missing token from a wrong URL.
  new ApiClient({ url, token: given ?? (host.env.AGENT_EVALUATOR_TOKEN || null), clock: systemClock });

/** Reads evaluations behind an API as those of a store. */
export const remoteReader = (client: ApiClient): EvaluationReader => ({
  findEvaluation: (id) => orNull(client.get(`/evaluations/${id}`, EvaluationRecord)),
  listEvaluations: (filter = {}) => listEvaluations(client, filter),
  entries: (id, filter = {}) => entries(client, id, filter),
  verdictRows: (id) => verdictRows(client, id),
  rounds: async (id, runId) => (await findRun(client, id, runId))?.rounds ?? [],
  readBody: (id, runId, round) => orNull(readBody(client, id, runId, round)),
  close: async () => {},
});

const UNKNOWN = new Set(["evaluation.unknown", "run.unknown", "body.missing", "request.unknown_route"]);

/** Answers null for an evaluation or a run that does not exist, as a store does. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (error instanceof EvaluatorError && UNKNOWN.has(error.code)) return null;
    throw error;
  });
}

async function listEvaluations(client: ApiClient, filter: EvaluationFilter): Promise<EvaluationRecord[]> {
  const { limit: most = Number.POSITIVE_INFINITY, ...query } = filter;
  const found: EvaluationRecord[] = [];
  for (let cursor: string | undefined; ; ) {
    const limit = Math.min(MOST_EVALUATIONS, most - found.length);
    const page = await client.get("/evaluations", EvaluationPage, { ...query, limit, cursor });
    found.push(...page.evaluations);
    if (page.next === null || found.length >= most) return found;
    cursor = page.next;
  }
}

async function* entries(client: ApiClient, id: EvaluationId, filter: EntryFilter): AsyncGenerator<LogEntry> {
  const { runIds, fromIndex: from, toIndex: to, ...rest } = filter;
  if (runIds !== undefined) {
    for (const runId of runIds) {
      const run = await findRun(client, id, runId);
      if (run !== null) yield run.entry;
    }
    return;
  }
  for (let cursor: string | undefined; ; ) {
    const query = { ...rest, from, to, limit: MOST_LOGS, cursor };
    const page = await client.get(`/evaluations/${id}/logs`, LogPage, query);
    yield* page.logs;
    if (page.next === null) return;
    cursor = page.next;
  }
}

async function* verdictRows(client: ApiClient, id: EvaluationId): AsyncGenerator<VerdictRow> {
  for (let from = 0; ; ) {
    const grid = await client.get(`/evaluations/${id}/grid`, Grid, { from, problems: false });
    yield { from: from * grid.models.length * grid.trials, verdicts: grid.rows.join("") };
    if (grid.next === null) return;
    from = grid.next;
  }
}

const findRun = (client: ApiClient, id: EvaluationId, runId: RunId) =>
  orNull(client.get(`/evaluations/${id}/logs/${runId}`, RunView));

async function readBody(client: ApiClient, id: EvaluationId, runId: RunId, round: number): Promise<RunBody> {
  const part = <T>(name: string, schema: z.ZodType<T>) =>
    client.getLarge(`/evaluations/${id}/logs/${runId}/${name}`, schema, { round });
  return {
    v: 1,
    result: await part("result", Json.nullable()),
    transcript: await part("transcript", z.array(TranscriptStep)),
    stdout: await part("stdout", CapturedOutput),
    stderr: await part("stderr", CapturedOutput),
  };
}
