import { relative, resolve } from "node:path";
import { type Screen, streamScreen } from "./screen.ts";

/** Everything outside of the program that a command may touch. */
export interface Host {
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this user calls us, for hints that can be typed as they are. */
  readonly commandName: string;
  /** The user wants to see where an error comes from. */
  readonly isDebug: boolean;
  readonly process: NodeJS.Process;
  nowMs(): number;
}

export function processHost(process: NodeJS.Process): Host {
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

export interface Calling {
  /** The absolute path of the script that was started. */
  readonly script: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the user has to type to call us again: not everybody has us on the PATH. */
export function commandName({ script, cwd, env }: Calling): string {
  const isUnderNpm = env.npm_lifecycle_event !== undefined;
  if (script.endsWith("/src/cli/main.ts")) {
    return isUnderNpm ? "npm run cli --" : `node ${relative(cwd, script)}`;
  }
  return isUnderNpm || script.includes("/node_modules/") ? "npx agent-evaluator" : "agent-evaluator";
}
