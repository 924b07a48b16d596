import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { MARKER } from "./permissions.ts";

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
function trySignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // ESRCH: gone. EPERM: it became another user's, which we may not touch.
  }
}

/** Every process of this machine. */
export const allProcesses = (): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid));

/** The folder where Lambda puts a function; `sst dev` and tests run it elsewhere, beside other processes. */
const LAMBDA_ROOT = "/var/task";

/** The processes that are there before the first run, on a machine that is ours alone; null on any other. */
export const processesAtFirst = (taskRoot: string): ReadonlySet<number> | null =>
  taskRoot === LAMBDA_ROOT ? new Set(allProcesses()) : null;

/**
 * Ends every process that is neither known nor this one: only for a machine where all processes are ours, such as an
 * environment of Lambda. One that starts others while it is ended is found in the next sweep.
 */
export function endStrangers(known: ReadonlySet<number>, list: () => readonly number[]): void {
  for (let sweep = 0; sweep < END_STRANGERS_MAX_SWEEPS; sweep++) {
    const strangers = list().filter((pid) => pid !== process.pid && !known.has(pid));
    if (strangers.filter((pid) => trySignal(pid, "SIGKILL")).length === 0) return;
  }
}

const END_STRANGERS_MAX_SWEEPS = 10;

interface ProcessFacts {
  readonly pid: number;
  readonly rssBytes: number;
}

/** The processes of a run: those in its session (or group), and those that left it but still carry its marker. */
export function findRunProcesses(session: number | null, marker: string): ProcessFacts[] {
  return process.platform === "linux" ? findInProc(session, marker) : findWithPs(session, marker);
}

/** Memory of one process, or null when it is gone. */
export function rssBytesOf(pid: number): number | null {
  if (process.platform !== "linux") return rssWithPs(pid);
  const status = readProc(pid, "status");
  const kilobytes = status?.match(/^VmRSS:\s+(\d+) kB/m)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

function findInProc(session: number | null, marker: string): ProcessFacts[] {
  const found: ProcessFacts[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || !belongs(pid, session, marker)) continue;
    found.push({ pid, rssBytes: rssBytesOf(pid) ?? 0 });
  }
  return found;
}

function belongs(pid: number, session: number | null, marker: string): boolean {
  const stat = readProc(pid, "stat");
  if (stat === null) return false;
  // The command's name is in brackets and may itself hold spaces and brackets.
  const [state, , , itsSession] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z") return false;
  if (session !== null && Number(itsSession) === session) return true;
  return carries(readProc(pid, "environ"), marker);
}

const carries = (environ: string | null, marker: string): boolean =>
  environ?.split("\0").some((line) => line.startsWith(`${MARKER}=${marker}`)) ?? false;

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return null; // It ended between the listing and the reading, or is another user's.
  }
}

function findWithPs(session: number | null, marker: string): ProcessFacts[] {
  const lines = ps(["-axEww", "-o", "pid=,pgid=,rss=,stat=,command="]).split("\n");
  return lines.flatMap((line) => {
    const [, pid, group, kilobytes, state, command] =
      line.match(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/) ?? [];
    if (pid === undefined || state?.startsWith("Z")) return [];
    const isOurs = Number(group) === session || command?.includes(`${MARKER}=${marker}`);
    return isOurs ? [{ pid: Number(pid), rssBytes: Number(kilobytes) * 1024 }] : [];
  });
}

function rssWithPs(pid: number): number | null {
  const kilobytes = Number.parseInt(ps(["-o", "rss=", "-p", String(pid)]), 10);
  return Number.isNaN(kilobytes) ? null : kilobytes * 1024;
}

function ps(args: string[]): string {
  try {
    return execFileSync("ps", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return ""; // ps exits with 1 when no process fits.
  }
}
