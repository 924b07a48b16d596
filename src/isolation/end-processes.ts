import { findRunProcesses } from "./process-table.ts";

const MAX_SWEEPS = 50;

/** Sends a signal to a group; false when nobody is left in it. */
export function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  return trySignal(-group, signal);
}

/** Kills whatever a run left behind; a process that forks while it is hunted is met again in the next sweep. */
export function killRunProcesses(session: number | null, marker: string): void {
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const found = findRunProcesses(session, marker).filter(({ pid }) => pid !== process.pid);
    if (found.length === 0) return;
    for (const { pid } of found) trySignal(pid, "SIGKILL");
  }
}

/** False when it is gone already. */
export function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // ESRCH: gone. EPERM: it became another user's, which we may not touch.
  }
}
