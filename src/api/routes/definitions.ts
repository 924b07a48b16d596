import * as z from "zod";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { givenOnly } from "../../domain/json.ts";
import { DefinitionList, Trend, TrendStats } from "../answers.ts";
import { jsonAnswer, pageQuery, RequestError, route } from "../route.ts";

export const showTrend = route(
  {
    method: "get",
    path: "/definitions/{name}/trend",
    summary: "Accuracy, cost and time of every evaluation of a definition",
    params: z.object({ name: z.string().min(1).max(100) }),
    query: z.strictObject(pageQuery(100, 50)),
    answers: { 200: jsonAnswer("A page of the trend", Trend) },
  },
  async ({ params: { name }, query: { cursor, limit } }, { store, engine }) => {
    const { items, next } = await store.pageEvaluations({ name }, { limit, ...givenOnly({ cursor }) });
    const isKnown = items.length > 0 || (await engine.definitions()).some((each) => each.name === name);
    if (!isKnown)
      throw new RequestError("definition.unknown", `there is no definition ${name}`, "params.name");
    return Response.json({ name, evaluations: items.flatMap(pointOf), next });
  },
);

function pointOf({ id, status, startedAt, trials, stats }: EvaluationRecord) {
  if (stats === null || status === "running") return [];
  const models = Object.fromEntries(
    Object.entries(stats).map(([key, each]) => [key, TrendStats.parse(each)]),
  );
  return [{ id, status, startedAt, trials, models }];
}

export const showDefinitions = route(
  {
    method: "get",
    path: "/definitions",
    summary: "Evaluations that can be started",
    answers: { 200: jsonAnswer("All definitions", DefinitionList) },
  },
  async (_input, { engine }) => Response.json({ definitions: await engine.definitions() }),
);
