export { MAX_INVOCATION_SECONDS } from "./domain/cloud-limits.ts";
export { METRICS, METRICS_SERVICE } from "./domain/cloud-metrics.ts";
export { API_TOKEN_SECRET, secretName, type TenantIsolation, UNSET_SECRET } from "./domain/cloud-settings.ts";
export type { Deployment, Packer, Schedule } from "./domain/deployment.ts";
export type { RunnerOptions } from "./domain/runner-options.ts";
export { TABLE_SHAPE } from "./domain/table-shape.ts";
export { loadPacker } from "./load-packer.ts";
export { installedDashboard, placeDashboard } from "./place-dashboard.ts";
