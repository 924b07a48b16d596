import * as z from "zod";
import { preview } from "../../domain/format.ts";
import { ProblemId } from "../../domain/ids.ts";
import { ModelKey, modelKey } from "../../domain/model.ts";
import { EvaluationPath, knownEvaluation } from "../find-stored.ts";
import { yesOrNo } from "../read-input.ts";
import { jsonAnswer, route } from "../route.ts";

/** What became of every run, one character each: a row per problem, in it model by model, trial by trial. */
export const Grid = z.object({
  models: z.array(ModelKey),
  trials: z.int().positive(),
  problemCount: z.int().nonnegative(),
  /** The position of the first row's problem. */
  from: z.int().nonnegative(),
  problems: z.array(
    z.object({
      id: ProblemId,
      tags: z.array(z.string()),
      /** The beginning of what was asked, on one line. */
      text: z.string(),
    }),
  ),
  rows: z.array(z.string()),
  /** `from` of the next page. */
  next: z.int().positive().nullable(),
});

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
      /** False leaves `problems` empty, for who knows them already. */
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
    const problems: z.output<typeof Grid>["problems"] = [];
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
