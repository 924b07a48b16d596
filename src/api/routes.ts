import type { Route } from "./route.ts";
import { showHealth, showOpenApi } from "./routes/about.ts";
import { compareEvaluation } from "./routes/compare.ts";
import { listDefinitions, showTrend } from "./routes/definitions.ts";
import {
  cancelEvaluation,
  checkEvaluation,
  growEvaluation,
  listEvaluations,
  retryEvaluation,
  showEvaluation,
  startEvaluation,
} from "./routes/evaluations.ts";
import { exportLogs } from "./routes/export.ts";
import { showGrid } from "./routes/grid.ts";
import { listLogs, showLog, showRunPart } from "./routes/logs.ts";

/** Everything the API answers. */
export const ROUTES: readonly Route[] = [
  startEvaluation,
  listEvaluations,
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
  listDefinitions,
  showTrend,
  showOpenApi,
  showHealth,
];
