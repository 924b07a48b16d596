import { join } from "node:path";
import { placeDashboard } from "agent-evaluator/cloud";
import { api } from "./api.ts";
import { dashboardOrigin, hasSources, installed, router } from "./router.ts";

const throughRouter = router && { router: { instance: router } };

/** Files on a CDN that call the API with the token of whoever looks at them. */
export const dashboard = hasSources ? fromSources() : fromPackage(installed);

function fromSources() {
  return new sst.aws.StaticSite("Web", {
    path: "src/web",
    build: { command: "npx vite build --config ../../vite.config.ts", output: "../../dist/web" },
    dev: { command: "npx vite --config ../../vite.config.ts", url: dashboardOrigin },
    environment: { VITE_API_URL: api.url },
    ...throughRouter,
  });
}

/** It is built already, and is only told where the API is; in `sst dev` there is nothing to work on. */
function fromPackage(built: string | null) {
  if (built === null || $dev) return null;
  const place = join($cli.paths.work, "dashboard");
  const path = api.url.apply((url) => placeDashboard(built, place, url));
  return new sst.aws.StaticSite("Web", { path, ...throughRouter });
}
