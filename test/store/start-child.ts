import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

export interface Child {
  /** Everything that it printed, line by line, as it comes. */
  readonly lines: AsyncIterable<string>;
  readonly kill: () => void;
  /** Its errors, once it has ended. */
  readonly ended: Promise<string>;
}

/** Starts a script of `children` in a process of its own, which does not outlive the test. */
export function startChild(script: string, args: readonly string[]): Child {
  return watch(spawn(process.execPath, [scriptPath(script), ...args], { stdio: ["ignore", "pipe", "pipe"] }));
}

/** The same, where no file may grow beyond so many blocks (`f`), or no more than so many be open (`n`). */
export function startChildWithin(
  limit: `${"f" | "n"} ${number}`,
  script: string,
  args: readonly string[],
): Child {
  const shell = `ulimit -${limit}; exec "$0" "$@"`;
  const command = ["-c", shell, process.execPath, scriptPath(script), ...args];
  return watch(spawn("bash", command, { stdio: ["ignore", "pipe", "pipe"] }));
}

/** All lines of a child that ended by itself and had no complaints. */
export async function readLines(child: Child): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of child.lines) lines.push(line);
  const errors = await child.ended;
  if (errors !== "") throw new Error(`the child complained: ${errors}`);
  return lines;
}

const scriptPath = (script: string): string => join(import.meta.dirname, "children", script);

function watch(child: ChildProcess): Child {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the child has no pipes");
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const errors: string[] = [];
  stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  return {
    lines: createInterface({ input: stdout }),
    kill: () => child.kill("SIGKILL"),
    ended: once(child, "close").then(() => errors.join("")),
  };
}
