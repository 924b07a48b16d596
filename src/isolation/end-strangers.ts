import { readdirSync } from "node:fs";
import { trySignal } from "./end-processes.ts";

/** Every process of this machine. */
export const allProcesses = (): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid));

/** Where Lambda puts a function, and nobody else does: `sst dev` and tests run it elsewhere, beside other processes. */
const LAMBDA_ROOT = "/var/task";

/** The processes that are there before the first run, on a machine that is ours alone; null on any other. */
export const processesAtFirst = (taskRoot: string): ReadonlySet<number> | null =>
  taskRoot === LAMBDA_ROOT ? new Set(allProcesses()) : null;

/**
 * Ends every process that is neither known nor this one, whoever started it: only for a machine that is ours alone,
 * such as an environment of Lambda. One that starts others while it is ended is met again.
 */
export function endStrangers(known: ReadonlySet<number>, list: () => readonly number[]): void {
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const strangers = list().filter((pid) => pid !== process.pid && !known.has(pid));
    if (strangers.filter((pid) => trySignal(pid, "SIGKILL")).length === 0) return;
  }
}

const MAX_SWEEPS = 10;
