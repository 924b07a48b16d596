import { relative } from "node:path";

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
