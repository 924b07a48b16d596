import * as z from "zod";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { EvaluationId } from "../../domain/ids.ts";
import { ModelKey, modelKey } from "../../domain/model.ts";
import { compareEvaluations } from "../../statistics/compare.ts";
import { Outcomes } from "../../statistics/outcomes.ts";
import { evaluationReport } from "../../statistics/report.ts";
import { ComparedEvaluations } from "../answers.ts";
import { type ApiDeps, EvaluationPath, jsonAnswer, knownEvaluation, route } from "../route.ts";

export const compareEvaluation = route(
  {
    method: "get",
    path: "/evaluations/{id}/compare",
    summary: "Whether models, or two evaluations, really differ",
    params: EvaluationPath,
    query: z.strictObject({
      /** Without it, the models of the evaluation are compared with each other. */
      baseline: EvaluationId.optional(),
      model: ModelKey.optional(),
      baselineModel: ModelKey.optional(),
    }),
    answers: { 200: jsonAnswer("The comparisons", ComparedEvaluations) },
  },
  async ({ params, query: { baseline, model = null, baselineModel = null } }, api) => {
    const candidate = await knownEvaluation(api.store, params.id);
    const outcomes = await readOutcomes(candidate, api);
    const names = { baseline: baseline ?? candidate.id, candidate: candidate.id };
    if (baseline === undefined && model === null && baselineModel === null) {
      return Response.json({ ...names, comparisons: eachPair(outcomes) });
    }
    const other = baseline === undefined ? candidate : await knownEvaluation(api.store, baseline);
    const against = { outcomes: await readOutcomes(other, api), model: baselineModel };
    const comparisons = compareEvaluations({ outcomes, model }, against);
    if (comparisons.length > 0) return Response.json({ ...names, comparisons });
    throw new EvaluatorError(
      "compare.nothing_in_common",
      `${other.id} and ${candidate.id} have no such model in common; name one of each with model and baselineModel`,
    );
  },
);

const eachPair = (outcomes: Outcomes) =>
  evaluationReport(outcomes).comparisons.map(({ first, second, ...comparison }) => ({
    model: first,
    baselineModel: second,
    ...comparison,
  }));

async function readOutcomes(
  record: EvaluationRecord,
  { store, stats }: Pick<ApiDeps, "store" | "stats">,
): Promise<Outcomes> {
  const ids: string[] = [];
  for await (const { id } of store.problems(record.id)) ids.push(id);
  const outcomes = new Outcomes(record.models.map(modelKey));
  outcomes.addRow({ from: 0, verdicts: await stats.verdicts(record) }, record, ids);
  return outcomes;
}
