import * as z from "zod";
import { EvaluationRecord, EvaluationStatus } from "../../domain/evaluation.ts";
import { type EvaluationId, makeEvaluationId } from "../../domain/ids.ts";
import { canonicalJson, givenOnly, type Json } from "../../domain/json.ts";
import { countPlanned } from "../../domain/plan.ts";
import { addWhole } from "../../domain/run/amounts.ts";
import { countDone } from "../../domain/run/verdict.ts";
import type { ModelStats } from "../../domain/stats/stats.ts";
import { type Engine, GrowRequest, RetryRequest, StartRequest } from "../../engine/engine.ts";
import { sha256 } from "../../system/digest.ts";
import { EvaluationPage, EvaluationView, GrownEvaluation, StartedEvaluation } from "../answers.ts";
import {
  type ApiDeps,
  EvaluationPath,
  jsonAnswer,
  knownEvaluation,
  pageQuery,
  RequestError,
  readInput,
  route,
} from "../route.ts";

/** Stands for one request, however often it is sent. */
const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,200}$/, "1 to 200 visible ASCII characters");

const KeyHeaders = z.object({ "idempotency-key": IdempotencyKey.optional() });

export const startEvaluation = route(
  {
    method: "post",
    path: "/evaluations",
    summary: "Start an evaluation of a definition",
    headers: KeyHeaders,
    body: StartRequest,
    answers: { 202: jsonAnswer("Stored, and about to run", StartedEvaluation) },
  },
  async ({ body, request }, api) => {
    const claimed = await claimStart(api, request, { name: body.evaluation, request: body });
    const { id } = await api.engine.start(body, claimed === null ? {} : { id: claimed });
    const url = `/evaluations/${id}`;
    return Response.json({ id, url }, { status: 202, headers: { location: url } });
  },
);

export const growEvaluation = route(
  {
    method: "post",
    path: "/evaluations/{id}/grow",
    summary:
      "Start an evaluation with more models, problems or trials; it reuses the finished runs of this one",
    params: EvaluationPath,
    headers: KeyHeaders,
    body: GrowRequest,
    answers: { 202: jsonAnswer("Stored, and about to run what is missing", GrownEvaluation) },
  },
  async ({ params, body, request }, api) => {
    const before = await knownEvaluation(api.store, params.id);
    const { id: from, name } = before;
    const claimed = await claimStart(api, request, { name, request: { grow: from, ...body } });
    const grown = await api.engine.grow(from, body, claimed === null ? {} : { id: claimed });
    const url = `/evaluations/${grown.id}`;
    const keptRuns = countDone(await api.stats.verdicts(before), !grown.keepsFailed);
    const answer = { id: grown.id, url, keptRuns, newRuns: countPlanned(grown) - keptRuns };
    return Response.json(answer, { status: 202, headers: { location: url } });
  },
);

/** Makes the route of what is done to an evaluation without anything to choose. */
const actionRoute = (name: "cancel" | "check", summary: string, description: string) =>
  route(
    {
      method: "post",
      path: `/evaluations/{id}/${name}`,
      summary,
      params: EvaluationPath,
      answers: { 202: jsonAnswer(description, EvaluationRecord) },
    },
    async ({ params }, { store, engine }) => {
      const { id } = await knownEvaluation(store, params.id);
      return Response.json(await engine[name](id), { status: 202 });
    },
  );

export const cancelEvaluation = actionRoute(
  "cancel",
  "Start no further runs; those in progress finish",
  "The evaluation, about to end",
);

export const checkEvaluation = actionRoute(
  "check",
  "Check the stored results again with the current checker; no agents run",
  "The evaluation, being checked",
);

export const retryEvaluation = route(
  {
    method: "post",
    path: "/evaluations/{id}/retry",
    summary: "Run what failed or is missing, as a new round",
    params: EvaluationPath,
    body: RetryRequest,
    answers: { 202: jsonAnswer("The evaluation, running again", EvaluationRecord) },
  },
  async ({ params, body }, { store, engine }) => {
    const { id } = await knownEvaluation(store, params.id);
    return Response.json(await engine.retry(id, body), { status: 202 });
  },
);

export const showEvaluation = route(
  {
    method: "get",
    path: "/evaluations/{id}",
    summary: "An evaluation: status, progress, and stats so far",
    params: EvaluationPath,
    answers: { 200: jsonAnswer("The evaluation", EvaluationView) },
  },
  async ({ params }, api) => {
    const record = await knownEvaluation(api.store, params.id);
    return Response.json(await viewEvaluation(seenEvaluation(record, api.engine), api));
  },
);

export const showEvaluations = route(
  {
    method: "get",
    path: "/evaluations",
    summary: "Evaluations, newest first",
    query: z.strictObject({
      name: z.string().min(1).max(100).optional(),
      tag: z.string().min(1).max(100).optional(),
      status: EvaluationStatus.optional(),
      ...pageQuery(100, 20),
    }),
    answers: { 200: jsonAnswer("A page of evaluations", EvaluationPage) },
  },
  async ({ query: { cursor, limit, ...filter } }, { store, engine }) => {
    const { items, next } = await store.pageEvaluations(givenOnly(filter), {
      limit,
      ...givenOnly({ cursor }),
    });
    const seen = items.map((record) => seenEvaluation(record, engine));
    const evaluations = seen.filter(({ status }) => status === (filter.status ?? status));
    return Response.json({ evaluations, next });
  },
);

const KEPT_MS = 24 * 60 * 60 * 1_000;

/** Finds the id that a request stands for: the same one when it is sent again, null when it has no key. */
async function claimStart(
  { store, clock, random }: Pick<ApiDeps, "store" | "clock" | "random">,
  { headers }: Request,
  { name, request }: { readonly name: string; readonly request: object },
): Promise<EvaluationId | null> {
  const given = { "idempotency-key": headers.get("idempotency-key") ?? undefined };
  const { "idempotency-key": key } = readInput("headers", KeyHeaders, given);
  if (key === undefined) return null;
  const now = clock.now();
  const claim = {
    key,
    fingerprint: sha256(canonicalJson(request as Json)),
    evaluationId: makeEvaluationId(name, now.getTime(), random),
    expiresAt: new Date(now.getTime() + KEPT_MS),
  };
  const holding = await store.claimRequest(claim, now);
  if (holding.fingerprint === claim.fingerprint) return holding.evaluationId;
  throw new RequestError(
    "request.key_reused",
    "this idempotency key was already used for a different request; use a new one",
    "headers.idempotency-key",
  );
}

/** Adds stats and progress to a record. */
async function viewEvaluation(
  record: EvaluationRecord,
  { stats, store }: Pick<ApiDeps, "stats" | "store">,
): Promise<EvaluationView> {
  const all = await stats.stats(record);
  const total = countPlanned(record);
  // The store counts as runs end; stats may be some seconds old. Later rounds are counted from their own start.
  const isFirstTime = record.status === "running" && record.round === 1;
  const counted = isFirstTime ? await store.progress(record.id) : sumUp(Object.values(all));
  const spent = record.budget === null ? null : await store.spent(record.id);
  return { ...record, stats: all, progress: { total, ...counted }, spent };
}

function sumUp(all: readonly ModelStats[]) {
  const sum = (pick: (stats: ModelStats) => number) => all.reduce((total, each) => total + pick(each), 0);
  const whole = (pick: (stats: ModelStats) => number) =>
    all.reduce((total, each) => addWhole(total, pick(each)), 0);
  return {
    finished: sum((each) => each.finished),
    correct: sum((each) => each.correct),
    failed: sum((each) => each.failed),
    inputTokens: whole((each) => each.inputTokens),
    outputTokens: whole((each) => each.outputTokens),
    costUsd: all.some((each) => each.costUsd !== null) ? sum((each) => each.costUsd ?? 0) : null,
  };
}

/** Shows an evaluation that nobody works on any more as broken, not as running. */
const seenEvaluation = (record: EvaluationRecord, engine: Engine): EvaluationRecord =>
  engine.isLost?.(record) ? { ...record, status: "broken", owner: null } : record;
