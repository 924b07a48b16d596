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
