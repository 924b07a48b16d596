import { jsonAnswer } from "../answers.ts";
import { EvaluationView, viewEvaluation } from "../evaluation-view.ts";
import { EvaluationPath, knownEvaluation } from "../known-evaluation.ts";
import { route } from "../route.ts";
import { seenEvaluation } from "../seen-evaluation.ts";

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
