import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Measured {
  readonly wallMs: number;
  /** User and system time of the process and of everything below it that it waited for. */
  readonly cpuMs: number;
  /** The largest resident size of the process itself; 0 where the system does not tell. */
  readonly peakRssMb: number;
  /** What it printed, and after that the two lines of `times`. */
  readonly output: string;
}

/** Runs node with the given arguments to its end; a failure ends the benchmark. */
export async function measure(
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<Measured> {
  const startedAt = performance.now();
  // The shell's `times` counts all descendants, on every Unix.
  const shell = spawn(
    "bash",
    ["-c", '"$0" "$@" & wait $!; code=$?; times; exit $code', process.execPath, ...args],
    {
      env: { ...process.env, ...variables },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let output = "";
  shell.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const rss = watchRss(shell.pid ?? 0);
  const code = await new Promise<number | null>((resolve) => shell.on("close", resolve));
  const wallMs = performance.now() - startedAt;
  if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}:\n${output}`);
  return { wallMs, cpuMs: readTimes(output), peakRssMb: rss.stop(), output };
}

function readTimes(output: string): number {
  const line = output.trim().split("\n").at(-1) ?? "";
  const parts = [...line.matchAll(/(\d+)m([\d.]+)s/g)];
  if (parts.length !== 2) throw new Error(`bash printed no times but: ${line}`);
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1_000,
    0,
  );
}

function watchRss(shellPid: number): { stop(): number } {
  let peakMb = 0;
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, rssMb(shellPid));
  }, 100);
  return {
    stop: () => {
      clearInterval(timer);
      return peakMb;
    },
  };
}

function rssMb(shellPid: number): number {
  try {
    const [pid] = readFileSync(`/proc/${shellPid}/task/${shellPid}/children`, "utf8").split(" ");
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(peak?.[1] ?? 0) / 1024;
  } catch {
    return 0; // Not Linux, or the process has just ended.
  }
}
