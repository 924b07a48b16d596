import { EvaluationRecord } from "../../domain/evaluation.ts";
import { RetryRequest } from "../../engine/contract.ts";
import { jsonAnswer } from "../answers.ts";
import { EvaluationPath, knownEvaluation } from "../known-evaluation.ts";
import { route } from "../route.ts";

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
