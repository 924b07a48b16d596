import * as z from "zod";
import { EvaluatorError } from "../../domain/errors.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { preview } from "../../domain/format.ts";
import { EvaluationId } from "../../domain/ids.ts";
import { ModelKey, modelKey } from "../../domain/model.ts";
import { Outcomes } from "../../statistics/outcomes.ts";
import { compareEvaluations, evaluationReport } from "../../statistics/report.ts";
import { ComparedEvaluations, Grid } from "../answers.ts";
import { type ApiDeps, EvaluationPath, jsonAnswer, knownEvaluation, route, yesOrNo } from "../route.ts";

export const compareEvaluation = route(
  {
    method: "get",
    path: "/evaluations/{id}/compare",
    summary: "Compare models, or two evaluations, statistically",
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
      return Response.json({ ...names, comparisons: eachPair(outcomes, isRunning(candidate)) });
    }
    const other = baseline === undefined ? candidate : await knownEvaluation(api.store, baseline);
    const comparisons = compareEvaluations(
      { evaluation: candidate.id, outcomes, model, isRunning: isRunning(candidate) },
      {
        evaluation: other.id,
        outcomes: await readOutcomes(other, api),
        model: baselineModel,
        isRunning: isRunning(other),
      },
    );
    if (comparisons.length > 0) return Response.json({ ...names, comparisons });
    throw new EvaluatorError(
      "compare.nothing_in_common",
      `${other.id} and ${candidate.id} have no such model in common; name one of each with model and baselineModel`,
    );
  },
);

const isRunning = ({ status }: EvaluationRecord): boolean => status === "running";

const eachPair = (outcomes: Outcomes, isStillRunning: boolean) =>
  evaluationReport(outcomes, isStillRunning).comparisons.map(({ first, second, ...comparison }) => ({
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

const MOST_PROBLEMS = 5_000;
const MOST_CHARACTERS = 500_000;
const PREVIEW_CHARACTERS = 120;

export const showGrid = route(
  {
    method: "get",
    path: "/evaluations/{id}/grid",
    summary: "Verdicts of all runs, one character each",
    params: EvaluationPath,
    query: z.strictObject({
      from: z.coerce.number().int().nonnegative().default(0),
      limit: z.coerce.number().int().min(1).max(MOST_PROBLEMS).default(MOST_PROBLEMS),
      /** False leaves `problems` empty, for clients that have them already. */
      problems: yesOrNo.default(true),
    }),
    answers: { 200: jsonAnswer("A page of rows", Grid) },
  },
  async ({ params, query: { from, limit, problems: wantsProblems } }, { store, stats }) => {
    const record = await knownEvaluation(store, params.id);
    const { models, trials, problemCount } = record;
    const width = models.length * trials;
    const fitting = Math.max(1, Math.floor(MOST_CHARACTERS / Math.max(1, width)));
    const to = Math.min(problemCount, from + Math.min(limit, fitting));
    const problems: Grid["problems"] = [];
    if (wantsProblems && from < to) {
      for await (const { id, tags, problem } of store.problems(record.id, { from, to })) {
        problems.push({ id, tags: [...tags], text: preview(problem, PREVIEW_CHARACTERS) });
      }
    }
    const verdicts = await stats.verdicts(record);
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, at) =>
      verdicts.slice((from + at) * width, (from + at + 1) * width),
    );
    const next = to < problemCount ? to : null;
    return Response.json({
      models: models.map(modelKey),
      trials,
      problemCount,
      from,
      problems,
      rows,
      next,
    });
  },
);
