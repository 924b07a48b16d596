import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { MARKER } from "./permissions.ts";

/** Sends a signal to a group; false when nobody is left in it. */
export function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  return trySignal(-group, signal);
}

/** Kills whatever a run left behind. */
export const killRunProcesses = (session: number | null, marker: string): void =>
  killAll(50, () => findRunProcesses(session, marker).map(({ pid }) => pid));

/** Kills what is found and is not this process; what forks while it is hunted is met again in the next sweep. */
function killAll(maxSweeps: number, find: () => readonly number[]): void {
  for (let sweep = 0; sweep < maxSweeps; sweep++) {
    const killed = find().filter((pid) => pid !== process.pid && trySignal(pid, "SIGKILL"));
    if (killed.length === 0) return;
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
 * environment of Lambda.
 */
export const endStrangers = (known: ReadonlySet<number>, list: () => readonly number[]): void =>
  killAll(10, () => list().filter((pid) => !known.has(pid)));

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

/**
 * Names the place where process numbers mean what they mean here: this start of this machine, and this container of it.
 * It has no colon; where the system does not say, it is empty.
 */
export function placeOfProcesses(): string {
  if (process.platform !== "linux") return ask("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"]).trim();
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return `${boot}.${readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "")}`;
  } catch {
    return "";
  }
}

/** Says when a process started, which tells it from a later one of the same number; null when it has ended. */
export function startOfProcess(pid: number): string | null {
  if (process.platform !== "linux") {
    const start = ask("/bin/ps", ["-o", "lstart=", "-p", String(pid)]).trim();
    return start === "" ? null : start.replaceAll(/\W+/g, "-");
  }
  const fields = statOf(pid);
  // One that ended may wait for a long time until its parent has heard of it.
  return fields === null || fields[0] === "Z" ? null : (fields[19] ?? null);
}

/** Names this process in a way that tells it from all others, also on another machine or after a start of this one. */
export const nameProcess = (pid = process.pid): string =>
  `${placeOfProcesses()}:${pid}:${startOfProcess(pid) ?? ""}`;

/** Says whether a process of this name has surely ended; one of another place cannot be asked. */
export function hasProcessEnded(name: string): boolean {
  const [place, pid, start] = name.split(":");
  if (!place || !start || place !== placeOfProcesses()) return false;
  return startOfProcess(Number(pid)) !== start;
}

const findInProc = (session: number | null, marker: string): ProcessFacts[] =>
  allProcesses()
    .filter((pid) => belongs(pid, session, marker))
    .map((pid) => ({ pid, rssBytes: rssBytesOf(pid) ?? 0 }));

function belongs(pid: number, session: number | null, marker: string): boolean {
  const fields = statOf(pid);
  if (fields === null) return false;
  const [state, , , itsSession] = fields;
  if (state === "Z") return false;
  if (session !== null && Number(itsSession) === session) return true;
  const environment = readProc(pid, "environ")?.split("\0") ?? [];
  return environment.some((line) => line.startsWith(`${MARKER}=${marker}`));
}

/** What the system says of a process after its command's name, which may itself hold spaces and brackets. */
function statOf(pid: number): string[] | null {
  const stat = readProc(pid, "stat");
  return stat === null ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return null; // It ended between the listing and the reading, or is another user's.
  }
}

function findWithPs(session: number | null, marker: string): ProcessFacts[] {
  const lines = ask("/bin/ps", ["-axEww", "-o", "pid=,pgid=,rss=,stat=,command="]).split("\n");
  return lines.flatMap((line) => {
    const [, pid, group, kilobytes, state, command] =
      line.match(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/) ?? [];
    if (pid === undefined || state?.startsWith("Z")) return [];
    const isOurs = Number(group) === session || command?.includes(`${MARKER}=${marker}`);
    return isOurs ? [{ pid: Number(pid), rssBytes: Number(kilobytes) * 1024 }] : [];
  });
}

function rssWithPs(pid: number): number | null {
  const kilobytes = Number.parseInt(ask("/bin/ps", ["-o", "rss=", "-p", String(pid)]), 10);
  return Number.isNaN(kilobytes) ? null : kilobytes * 1024;
}

/** The same answer whatever language and place the user is in. */
const PLAIN = { LC_ALL: "C", TZ: "UTC" };

function ask(program: string, args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], env: PLAIN });
  } catch {
    return ""; // ps exits with 1 when no process fits.
  }
}
