import * as z from "zod";
import { ErrorAnswer, EvaluationPage, Grid, LogPage, RunView } from "../../api/answers.ts";
import type { Clock } from "../../domain/clock.ts";
import { EvaluatorError, isErrorCode } from "../../domain/errors.ts";
import { EvaluationRecord } from "../../domain/evaluation.ts";
import type { EvaluationId, RunId } from "../../domain/ids.ts";
import { Json } from "../../domain/json.ts";
import { CapturedOutput, type LogEntry, type RunBody, TranscriptStep } from "../../domain/run/log-entry.ts";
import type { VerdictRow } from "../../domain/run/verdict.ts";
import type { EntryFilter, EvaluationFilter } from "../../store/store.ts";
import { systemClock } from "../../system/clock.ts";
import type { CliHost } from "../host.ts";
import type { EvaluationReader } from "../store.ts";

const MOST_EVALUATIONS = 100;
const MOST_LOGS = 500;

/** Calls an API with the given token, or with that of the environment. */
export const openApi = (host: CliHost, url: string, given: string | undefined): ApiClient =>
  // Without a token the API is asked all the same: only its answer tells a missing token from a wrong URL.
  new ApiClient(url, given ?? (host.env.AGENT_EVALUATOR_TOKEN || null), systemClock);

/** Reads evaluations behind an API as those of a store. */
export const remoteReader = (client: ApiClient): EvaluationReader => ({
  findEvaluation: (id) => orNull(client.get(`/evaluations/${id}`, EvaluationRecord)),
  listEvaluations: (filter = {}) => listEvaluations(client, filter),
  entries: (id, filter = {}) => entries(client, id, filter),
  verdictRows: (id) => verdictRows(client, id),
  rounds: async (id, runId) => (await findRun(client, id, runId))?.rounds ?? [],
  readBody: (id, runId, round) => orNull(readBody(client, id, runId, round)),
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
  const limit = Math.min(MOST_EVALUATIONS, most);
  const found: EvaluationRecord[] = [];
  for await (const { evaluations } of pages((cursor?: string) =>
    client.get("/evaluations", EvaluationPage, { ...query, limit, cursor }),
  )) {
    found.push(...evaluations);
    if (found.length >= most) break;
  }
  return found.slice(0, most);
}

async function* entries(client: ApiClient, id: EvaluationId, filter: EntryFilter): AsyncGenerator<LogEntry> {
  const { runIds, fromIndex: from, toIndex: to, ...rest } = filter;
  for (const runId of runIds ?? []) {
    const run = await findRun(client, id, runId);
    if (run !== null) yield run.entry;
  }
  if (runIds !== undefined) return;
  const query = { ...rest, from, to, limit: MOST_LOGS };
  for await (const { logs } of pages((cursor?: string) =>
    client.get(`/evaluations/${id}/logs`, LogPage, { ...query, cursor }),
  )) {
    yield* logs;
  }
}

async function* verdictRows(client: ApiClient, id: EvaluationId): AsyncGenerator<VerdictRow> {
  for await (const { from, models, trials, rows } of pages((from?: number) =>
    client.get(`/evaluations/${id}/grid`, Grid, { from, problems: false }),
  )) {
    yield { from: from * models.length * trials, verdicts: rows.join("") };
  }
}

/** Reads page after page, each from where the one before it ends. */
async function* pages<Next, Page extends { readonly next: Next | null }>(
  read: (from?: Next) => Promise<Page>,
): AsyncGenerator<Page> {
  let page = await read();
  for (; page.next !== null; page = await read(page.next)) yield page;
  yield page;
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

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Waits before the next tries at a server that is gone or busy. */
const WAITS_MS = [300, 1_000, 2_000, 4_000, 8_000];
const LONGEST_WAIT_MS = 30_000;
const PATIENCE_MS = 60_000;

/** Calls one API with its token; a request that may be sent twice is tried again. */
export class ApiClient {
  readonly #url: string;
  /** Null when the user gave none. */
  readonly #token: string | null;
  readonly #clock: Clock;

  constructor(url: string, token: string | null, clock: Clock) {
    this.#url = url;
    this.#token = token;
    this.#clock = clock;
  }

  async get<T>(path: string, schema: z.ZodType<T>, query: Query = {}): Promise<T> {
    const response = await this.#send(`${path}${toSearch(query)}`, {}, true);
    return schema.parse(await response.json());
  }

  /** With a key the request may be sent twice, so only then it is. */
  async post<T>(path: string, schema: z.ZodType<T>, body: unknown, key?: string): Promise<T> {
    const headers = new Headers({ "content-type": "application/json" });
    if (key !== undefined) headers.set("idempotency-key", key);
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await this.#send(path, init, key !== undefined);
    return schema.parse(await response.json());
  }

  /** Reads JSON of any size, in as many pieces as the server needs. */
  async getLarge<T>(path: string, schema: z.ZodType<T>, query: Query = {}): Promise<T> {
    const pieces: Uint8Array[] = [];
    for (let from = 0, total = 1; from < total; ) {
      const headers = { range: `bytes=${from}-`, accept: "application/json" };
      const response = await this.#send(`${path}${toSearch(query)}`, { headers }, true);
      const piece = await response.bytes();
      if (piece.length === 0) throw new EvaluatorError("remote.strange", `${path} ends before it is whole`);
      pieces.push(piece);
      from += piece.length;
      total = response.status === 206 ? Number(response.headers.get("content-range")?.split("/")[1]) : from;
    }
    return schema.parse(JSON.parse(Buffer.concat(pieces).toString("utf8")));
  }

  async #send(path: string, init: RequestInit, mayRepeat: boolean): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#try(path, init);
      const waitMs = mayRepeat ? WAITS_MS[attempt] : undefined;
      if (answer instanceof Response && answer.ok) return answer;
      if (waitMs === undefined || !isPassing(answer)) throw await this.#explain(answer);
      await this.#clock.sleep(Math.max(waitMs, askedWaitMs(answer)));
    }
  }

  async #try(path: string, init: RequestInit): Promise<Response | Error> {
    const headers = new Headers(init.headers);
    if (this.#token !== null) headers.set("authorization", `Bearer ${this.#token}`);
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      return await fetch(`${this.#url}${path}`, { ...init, headers, redirect: "error", signal });
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #explain(answer: Response | Error): Promise<Error> {
    const url = this.#url;
    if (!(answer instanceof Response)) {
      const why = answer.cause instanceof Error ? answer.cause.message : answer.message;
      return new EvaluatorError(
        "remote.unreachable",
        `${url} cannot be reached (${why}); check the URL and that the server is running`,
        { cause: answer },
      );
    }
    if (answer.status === 401) {
      const isMissing = this.#token === null;
      return new EvaluatorError(
        isMissing ? "remote.no_token" : "remote.token",
        `${url} ${isMissing ? "requires a token" : "refuses the token"}; set AGENT_EVALUATOR_TOKEN or --token to the one printed by \`serve\` or set at the deploy`,
      );
    }
    const read = ErrorAnswer.safeParse(await answer.json().catch(() => null));
    if (!read.success) {
      return new EvaluatorError(
        "remote.strange",
        `${url} answers ${answer.status} and is not an Agent Evaluator API`,
      );
    }
    const { code, message, path } = read.data.error;
    return new EvaluatorError(
      isErrorCode(code) ? code : "remote.refused",
      path === null ? message : `${message} (${path})`,
    );
  }
}

const PASSING = new Set([429, 502, 503, 504]);

const isPassing = (answer: Response | Error): boolean =>
  answer instanceof Response ? PASSING.has(answer.status) : true;

function askedWaitMs(answer: Response | Error): number {
  const seconds = answer instanceof Response ? Number(answer.headers.get("retry-after") ?? 0) : 0;
  return Number.isFinite(seconds) ? Math.min(LONGEST_WAIT_MS, seconds * 1_000) : 0;
}

function toSearch(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? "" : `?${search}`;
}
