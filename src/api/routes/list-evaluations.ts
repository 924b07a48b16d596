import * as z from "zod";
import { EvaluationRecord, EvaluationStatus } from "../../domain/evaluation.ts";
import { jsonAnswer } from "../answers.ts";
import { givenOnly, pageQuery, pageRequest } from "../page-query.ts";
import { route } from "../route.ts";
import { seenEvaluation } from "../seen-evaluation.ts";

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
