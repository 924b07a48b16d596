import { api } from "./api.ts";
import { dashboardOrigin, hasDashboard, router } from "./router.ts";

/** The dashboard: files on a CDN that call the API with the token of whoever looks at them. */
export const dashboard = hasDashboard
  ? new sst.aws.StaticSite("Web", {
      path: "src/web",
      build: { command: "npx vite build --config ../../vite.config.ts", output: "../../dist/web" },
      dev: { command: "npx vite --config ../../vite.config.ts", url: dashboardOrigin },
      environment: { VITE_API_URL: api.url },
      ...(router && { router: { instance: router } }),
    })
  : null;
