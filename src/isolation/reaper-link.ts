import { type ChildProcess, spawn } from "node:child_process";

/** The evaluator's end of the pipe to its reaper. */
export interface ReaperLink {
  readonly pid: number | undefined;
  started(group: number): void;
  ended(group: number): void;
  close(): void;
}

export function startReaper(file: string, token: string, tempRoot: string): ReaperLink {
  const reaper = spawn(process.execPath, ["--disable-sigusr1", file, token, tempRoot], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
  });
  // Without a reaper the evaluation still ends its own processes; only a killed evaluator would leave some.
  reaper.once("error", () => reaper.stdin?.destroy());
  reaper.unref();
  const say = (line: string) => tell(reaper, line);
  return {
    pid: reaper.pid,
    started: (group) => say(`+${group}`),
    ended: (group) => say(`-${group}`),
    close: () => {
      say("bye");
      reaper.stdin?.end();
    },
  };
}

function tell(reaper: ChildProcess, line: string): void {
  // A process for which no file number was left has none, whatever its type says.
  const input = reaper.stdin as ChildProcess["stdin"] | undefined;
  if (!input || input.destroyed) return;
  if (input.listenerCount("error") === 0) input.on("error", () => input.destroy());
  if ("unref" in input && typeof input.unref === "function") input.unref();
  input.write(`${line}\n`);
}
