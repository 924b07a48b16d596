import { existsSync } from "node:fs";
import { join } from "node:path";

const DEV_ORIGIN = "http://localhost:5173";
/** What no browser ever sends. */
const NO_ORIGIN = "none";

/**
 * It is built from our own sources. A project that has installed us is without, whatever it has in `src/web`: then
 * nobody may call the API from a browser.
 */
export const hasDashboard = ["src/cloud.ts", "src/web/index.html"].every((path) =>
  existsSync(join($cli.paths.root, path)),
);

/** In front of the dashboard. It comes before the API, which has to know the dashboard's origin. */
export const router = hasDashboard && !$dev ? new sst.aws.Router("Dashboard") : null;

export const dashboardOrigin = router?.url ?? ($dev ? DEV_ORIGIN : NO_ORIGIN);
