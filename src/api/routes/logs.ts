import * as z from "zod";
import { FailureCause } from "../../domain/failure.ts";
import { LogEntry } from "../../domain/log-entry.ts";
import { ModelKey } from "../../domain/model.ts";
import { jsonAnswer } from "../answers.ts";
import { EvaluationPath, knownEvaluation } from "../known-evaluation.ts";
import { givenOnly, pageQuery, pageRequest, yesOrNo } from "../page-query.ts";
import { route } from "../route.ts";

export const LogPage = z.object({ logs: z.array(LogEntry), next: z.string().nullable() });

/** An entry is at most some kilobytes, so that a page of these fits into any answer. */
const MOST_LOGS = 500;

const RunNumber = z.coerce.number().int().nonnegative();

export const listLogs = route(
  {
    method: "get",
    path: "/evaluations/{id}/logs",
    summary: "What its runs left behind, in plan order, of every run the latest round",
    params: EvaluationPath,
    query: z.strictObject({
      model: ModelKey.optional(),
      correct: yesOrNo.optional(),
      cause: FailureCause.optional(),
      failed: yesOrNo.optional(),
      /** Numbers of runs in the plan: from this one, and up to but not with that one. */
      from: RunNumber.optional(),
      to: RunNumber.optional(),
      ...pageQuery(MOST_LOGS, 100),
    }),
    answers: { 200: jsonAnswer("A page of log entries", LogPage) },
  },
  async ({ params, query: { cursor, limit, from, to, ...rest } }, { store }) => {
    const { id } = await knownEvaluation(store, params.id);
    const filter = givenOnly({ ...rest, fromIndex: from, toIndex: to });
    const { items, next } = await store.pageEntries(id, filter, pageRequest({ cursor, limit }));
    return Response.json({ logs: items, next });
  },
);
