import * as z from "zod";
import { preview } from "../../domain/format.ts";
import { modelKey } from "../../domain/model.ts";
import { Grid } from "../answers.ts";
import { EvaluationPath, jsonAnswer, knownEvaluation, route, yesOrNo } from "../route.ts";

const MOST_PROBLEMS = 5_000;
const MOST_CHARACTERS = 500_000;
const PREVIEW_CHARACTERS = 120;

export const showGrid = route(
  {
    method: "get",
    path: "/evaluations/{id}/grid",
    summary: "Verdicts of all runs, as compact as they can be",
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
