import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { killRunProcesses, signalGroup } from "./parent/processes.ts";

/**
 * A process of its own. Its input is a pipe from the evaluator that says `+pid`, `-pid`, and `bye` at a proper end.
 * When the pipe ends without it, however that came about, the reaper ends everything still listed.
 */
async function reap(lines: AsyncIterable<string>, token: string, tempRoot: string): Promise<void> {
  const groups = new Set<number>();
  for await (const line of lines) {
    if (line === "bye") return;
    const group = Number(line.slice(1));
    if (line.startsWith("+")) groups.add(group);
    else groups.delete(group);
  }
  for (const group of groups) signalGroup(group, "SIGKILL");
  for (const group of groups) killRunProcesses(group, token);
  killRunProcesses(null, token);
  rmSync(tempRoot, { recursive: true, force: true });
}

// A Ctrl-C on the terminal reaches the evaluator, which stops in its own order; the reaper waits for that.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const [token = "", tempRoot = ""] = process.argv.slice(2);
await reap(createInterface({ input: process.stdin }), token, tempRoot);
