import { FREE_DISK_MB, runnerDiskMb, runnerMemoryMb } from "../../src/domain/cloud/limits.ts";
import { Limits } from "../../src/domain/limits.ts";

export interface Counted {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly puts: number;
  readonly gets: number;
  /** Of durable executions. */
  readonly operations: number;
  readonly stateBytes: number;
}

/** Dollars in us-east-1, arm64, on demand; the free tier is left out. */
const USD = {
  gbSecond: 0.0000133334,
  /** Of the disk above what every function has. */
  diskGbSecond: 0.0000000309,
  request: 0.2 / 1e6,
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
  put: 5 / 1e6,
  get: 0.4 / 1e6,
  operation: 8 / 1e6,
  stateGb: 0.25,
  tenantEnvironment: 0.000167,
} as const;

const RUN_SECONDS = 20;
/** Of the runner that a definition without limits of its own gets. */
export const MEMORY_MB = runnerMemoryMb([Limits.parse({})]);
const MEMORY_GB = MEMORY_MB / 1_024;
const PAID_DISK_GB = (runnerDiskMb([Limits.parse({})]) - FREE_DISK_MB) / 1_024;
/** As many as are in flight at once stay warm and are used again. */
const ENVIRONMENTS = 50;

type Row = readonly [what: string, amount: string, usd: number];

/** The bill of what was counted, times `scale`. */
export function costOf(counted: Counted, scale: number): readonly Row[] {
  const row = (what: string, count: number, usdEach: number): Row => [
    what,
    Math.round(count * scale).toLocaleString("en"),
    count * scale * usdEach,
  ];
  const runs = 1_000;
  return [
    [
      "runner compute",
      `${runs * RUN_SECONDS * MEMORY_GB} GB s`,
      runs * RUN_SECONDS * MEMORY_GB * USD.gbSecond,
    ],
    [
      "disk of the runner",
      `${runs * RUN_SECONDS * PAID_DISK_GB} GB s`,
      runs * RUN_SECONDS * PAID_DISK_GB * USD.diskGbSecond,
    ],
    ["invocations", String(runs), runs * USD.request],
    ["environments of tenants", String(ENVIRONMENTS), ENVIRONMENTS * USD.tenantEnvironment * MEMORY_GB],
    row("durable operations", counted.operations, USD.operation),
    row("durable state, bytes", counted.stateBytes, USD.stateGb / 1024 ** 3),
    row("table, write units", counted.writeUnits, USD.writeUnit),
    row("table, read units", counted.readUnits, USD.readUnit),
    row("bodies put", counted.puts, USD.put),
    row("bodies got", counted.gets, USD.get),
  ];
}
