import * as z from "zod";
import { type EvaluationRecord, EvaluationStatus } from "../../domain/evaluation.ts";
import { EvaluationId } from "../../domain/ids.ts";
import { ModelKey } from "../../domain/model.ts";
import { ModelStats } from "../../domain/stats/stats.ts";
import { DefinitionSummary } from "../../engine/engine.ts";
import { RequestError } from "../errors.ts";
import { pageQuery, pageRequest } from "../read-input.ts";
import { jsonAnswer, route } from "../route.ts";

const TrendStats = ModelStats.unwrap().pick({
  accuracy: true,
  planned: true,
  finished: true,
  correct: true,
  scored: true,
  failed: true,
  failuresByFault: true,
  costUsd: true,
  runsWithUnknownCost: true,
  p50RuntimeSeconds: true,
});

/** How the evaluations of one name went, newest first; those that still run or that nobody added up are left out. */
export const Trend = z.object({
  name: z.string(),
  evaluations: z.array(
    z.object({
      id: EvaluationId,
      status: EvaluationStatus,
      startedAt: z.iso.datetime(),
      models: z.record(ModelKey, TrendStats),
    }),
  ),
  next: z.string().nullable(),
});

export const showTrend = route(
  {
    method: "get",
    path: "/definitions/{name}/trend",
    summary: "Accuracy, cost and time of every evaluation of a definition",
    params: z.object({ name: z.string().min(1).max(100) }),
    query: z.strictObject(pageQuery(100, 50)),
    answers: { 200: jsonAnswer("A page of the trend", Trend) },
  },
  async ({ params: { name }, query }, { store, engine }) => {
    const { items, next } = await store.pageEvaluations({ name }, pageRequest(query));
    const isKnown = items.length > 0 || (await engine.definitions()).some((each) => each.name === name);
    if (!isKnown)
      throw new RequestError("definition.unknown", `there is no definition ${name}`, "params.name");
    return Response.json({ name, evaluations: items.flatMap(pointOf), next });
  },
);

function pointOf({ id, status, startedAt, stats }: EvaluationRecord) {
  if (stats === null || status === "running") return [];
  const models = Object.fromEntries(
    Object.entries(stats).map(([key, each]) => [key, TrendStats.parse(each)]),
  );
  return [{ id, status, startedAt, models }];
}

const DefinitionList = z.object({ definitions: z.array(DefinitionSummary) });

export const listDefinitions = route(
  {
    method: "get",
    path: "/definitions",
    summary: "What can be started",
    answers: { 200: jsonAnswer("All definitions", DefinitionList) },
  },
  async (_input, { engine }) => Response.json({ definitions: await engine.definitions() }),
);
