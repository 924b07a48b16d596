import * as z from "zod";
import { openApiDocument } from "./open-api.ts";
import { jsonAnswer, type Route, route } from "./route.ts";
import { showDefinitions, showTrend } from "./routes/definitions.ts";
import {
  cancelEvaluation,
  checkEvaluation,
  growEvaluation,
  retryEvaluation,
  showEvaluation,
  showEvaluations,
  startEvaluation,
} from "./routes/evaluations.ts";
import { exportLogs, listLogs, showLog, showRunPart } from "./routes/logs.ts";
import { compareEvaluation, showGrid } from "./routes/verdicts.ts";

const showOpenApi = route(
  {
    method: "get",
    path: "/openapi.json",
    summary: "This description",
    answers: { 200: jsonAnswer("An OpenAPI document", z.record(z.string(), z.unknown())) },
  },
  () => Response.json(openApiDocument(ROUTES.map(({ contract }) => contract))),
);

const Health = z.object({ status: z.literal("ok") });

const showHealth = route(
  {
    method: "get",
    path: "/health",
    summary: "Answers when the API is up; needs no token",
    isOpen: true,
    answers: { 200: jsonAnswer("The API is up", Health) },
  },
  () => Response.json({ status: "ok" }),
);

/** All routes of the API. */
export const ROUTES: readonly Route[] = [
  startEvaluation,
  showEvaluations,
  showEvaluation,
  listLogs,
  showLog,
  showRunPart,
  showGrid,
  compareEvaluation,
  exportLogs,
  cancelEvaluation,
  retryEvaluation,
  growEvaluation,
  checkEvaluation,
  showDefinitions,
  showTrend,
  showOpenApi,
  showHealth,
];
