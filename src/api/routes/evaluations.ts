import * as z from "zod";
import { EvaluationRecord, EvaluationStatus } from "../../domain/evaluation.ts";
import { EvaluationId } from "../../domain/ids.ts";
import { countPlanned } from "../../domain/plan.ts";
import { countDone } from "../../domain/run/verdict.ts";
import { GrowRequest, RetryRequest, StartRequest } from "../../engine/engine.ts";
import type { Store } from "../../store/store.ts";
import { claimStart } from "../claim-start.ts";
import { EvaluationView, seenEvaluation, viewEvaluation } from "../evaluation-view.ts";
import { EvaluationPath, knownEvaluation } from "../find-stored.ts";
import { givenOnly, KeyHeaders, pageQuery, pageRequest, readKey } from "../read-input.ts";
import { jsonAnswer, route } from "../route.ts";

export const StartedEvaluation = z.object({ id: EvaluationId, url: z.string() });

export const startEvaluation = route(
  {
    method: "post",
    path: "/evaluations",
    summary: "Start an evaluation of a definition",
    headers: KeyHeaders,
    body: StartRequest,
    answers: { 202: jsonAnswer("It is stored and about to run", StartedEvaluation) },
  },
  async ({ body, request }, api) => {
    const claimed = await claimStart(api, readKey(request), { name: body.evaluation, request: body });
    const { id } = await api.engine.start(body, claimed === null ? {} : { id: claimed });
    const url = `/evaluations/${id}`;
    return Response.json({ id, url }, { status: 202, headers: { location: url } });
  },
);

const Count = z.int().nonnegative();

export const GrownEvaluation = StartedEvaluation.extend({
  /** Runs that are taken over from the evaluation before. */
  keptRuns: Count,
  /** Runs that are about to take place. */
  newRuns: Count,
});

export const growEvaluation = route(
  {
    method: "post",
    path: "/evaluations/{id}/grow",
    summary: "Start an evaluation with more models, problems or trials; it takes over what ended in this one",
    params: EvaluationPath,
    headers: KeyHeaders,
    body: GrowRequest,
    answers: { 202: jsonAnswer("It is stored and about to run what is missing", GrownEvaluation) },
  },
  async ({ params, body, request }, api) => {
    const { id: from, name } = await knownEvaluation(api.store, params.id);
    const claimed = await claimStart(api, readKey(request), { name, request: { grow: from, ...body } });
    const grown = await api.engine.grow(from, body, claimed === null ? {} : { id: claimed });
    const url = `/evaluations/${grown.id}`;
    const keptRuns = countDone(await verdictsOf(api.store, from), !grown.keepsFailed);
    const answer = { id: grown.id, url, keptRuns, newRuns: countPlanned(grown) - keptRuns };
    return Response.json(answer, { status: 202, headers: { location: url } });
  },
);

async function verdictsOf(store: Store, id: EvaluationId): Promise<string> {
  let verdicts = "";
  for await (const row of store.verdictRows(id)) verdicts += row.verdicts;
  return verdicts;
}

export const cancelEvaluation = route(
  {
    method: "post",
    path: "/evaluations/{id}/cancel",
    summary: "Start no further run; those under way end as they are",
    params: EvaluationPath,
    answers: { 202: jsonAnswer("The evaluation, about to end", EvaluationRecord) },
  },
  async ({ params }, { store, engine }) => {
    const { id } = await knownEvaluation(store, params.id);
    return Response.json(await engine.cancel(id), { status: 202 });
  },
);

export const retryEvaluation = route(
  {
    method: "post",
    path: "/evaluations/{id}/retry",
    summary: "A new round of failed and missing runs",
    params: EvaluationPath,
    body: RetryRequest,
    answers: { 202: jsonAnswer("The evaluation, running again", EvaluationRecord) },
  },
  async ({ params, body }, { store, engine }) => {
    const { id } = await knownEvaluation(store, params.id);
    return Response.json(await engine.retry(id, body), { status: 202 });
  },
);

export const checkEvaluation = route(
  {
    method: "post",
    path: "/evaluations/{id}/check",
    summary: "Check the stored results again with the checker of today; no agent runs",
    params: EvaluationPath,
    answers: { 202: jsonAnswer("The evaluation, being checked", EvaluationRecord) },
  },
  async ({ params }, { store, engine }) => {
    const { id } = await knownEvaluation(store, params.id);
    return Response.json(await engine.check(id), { status: 202 });
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

export const EvaluationPage = z.object({
  evaluations: z.array(EvaluationRecord),
  next: z.string().nullable(),
});

export const listEvaluations = route(
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
    const { items, next } = await store.pageEvaluations(givenOnly(filter), pageRequest({ cursor, limit }));
    const seen = items.map((record) => seenEvaluation(record, engine));
    const evaluations = seen.filter(({ status }) => status === (filter.status ?? status));
    return Response.json({ evaluations, next });
  },
);
