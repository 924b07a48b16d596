export { installedDashboard, loadPacker, placeDashboard } from "./deploy/packer.ts";
export type { Deployment, Packer, Schedule } from "./domain/cloud/deployment.ts";
export type { RunnerOptions } from "./domain/cloud/limits.ts";
export { MAX_INVOCATION_SECONDS } from "./domain/cloud/limits.ts";
export {
  API_TOKEN_SECRET,
  METRICS,
  METRICS_SERVICE,
  secretName,
  type TenantIsolation,
  UNSET_SECRET,
} from "./domain/cloud/settings.ts";
export { TABLE_SHAPE } from "./store/dynamo/table-shape.ts";
