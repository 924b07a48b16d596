import type { Route } from "./route.ts";
import { compareEvaluation } from "./routes/compare.ts";
import { cancelEvaluation, checkEvaluation, retryEvaluation } from "./routes/control-evaluation.ts";
import { listDefinitions } from "./routes/definitions.ts";
import { exportLogs } from "./routes/export.ts";
import { showGrid } from "./routes/grid.ts";
import { growEvaluation } from "./routes/grow-evaluation.ts";
import { showHealth } from "./routes/health.ts";
import { listEvaluations } from "./routes/list-evaluations.ts";
import { showLog } from "./routes/log.ts";
import { listLogs } from "./routes/logs.ts";
import { showOpenApi } from "./routes/open-api-document.ts";
import { showRunPart } from "./routes/run-part.ts";
import { showEvaluation } from "./routes/show-evaluation.ts";
import { startEvaluation } from "./routes/start-evaluation.ts";
import { showTrend } from "./routes/trend.ts";

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
