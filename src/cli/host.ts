import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { type Screen, streamScreen } from "./screen.ts";

/** Everything outside of the program that a command may touch. */
export interface CliHost {
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command as this user types it, for hints that can be copied. */
  readonly commandName: string;
  /** The user wants to see where an error comes from. */
  readonly isDebug: boolean;
  readonly process: NodeJS.Process;
  nowMs(): number;
}

export function processHost(process: NodeJS.Process): CliHost {
  const cwd = process.cwd();
  return {
    stdout: streamScreen(process.stdout, process.env),
    stderr: streamScreen(process.stderr, process.env),
    cwd,
    env: process.env,
    commandName: commandName({ script: resolve(process.argv[1] ?? ""), cwd, env: process.env }),
    isDebug: process.argv.includes("--debug"),
    process,
    nowMs: () => performance.now(),
  };
}

/** Returns what the user types to call this program again, which may not be on the PATH; `script` is absolute. */
export function commandName({ script, cwd, env }: Pick<CliHost, "cwd" | "env"> & { script: string }): string {
  const isUnderNpm = env.npm_lifecycle_event !== undefined;
  if (script.endsWith("/src/cli/main.ts")) {
    return isUnderNpm ? "npm run cli --" : `node ${relative(cwd, script)}`;
  }
  return isUnderNpm || script.includes("/node_modules/") ? "npx agent-evaluator" : "agent-evaluator";
}

/** Finds the folder of this package's package.json, above `src` or `dist`, wherever a build put this file. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as {
    version?: string;
  };
  return version ?? "unknown";
}
