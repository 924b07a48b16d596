import { existsSync } from "node:fs";
import { join } from "node:path";
import { installedDashboard } from "agent-evaluator/cloud";

const DEV_ORIGIN = "http://localhost:5173";
/** What no browser ever sends. */
const NO_ORIGIN = "none";

/** Folder of the dashboard that comes with the package; null where we are deployed from our own sources. */
export const installed = installedDashboard($cli.paths.root);

/** Says whether it is built from our own sources; a project that has installed us may have any pages in `src/web`. */
export const hasSources =
  installed === null &&
  ["src/cloud.ts", "src/web/index.html"].every((path) => existsSync(join($cli.paths.root, path)));

const hasDashboard = hasSources || installed !== null;

/** Router in front of the dashboard. It comes before the API, which has to know the dashboard's origin. */
export const router = hasDashboard && !$dev ? new sst.aws.Router("Dashboard") : null;

export const dashboardOrigin = router?.url ?? ($dev ? DEV_ORIGIN : NO_ORIGIN);
