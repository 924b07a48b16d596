import { readFileSync } from "node:fs";
import type { EvaluationOptions } from "./engine/definition.ts";
import { describe, serveTasks } from "./engine/serve-tasks.ts";
import { ChildLink } from "./isolation/child-link.ts";
import { CHILD_FLAG, installReentry } from "./isolation/reentry.ts";

/** Runs the user's module in a child and serves the evaluation it defines; does nothing in any other process. */
export async function serveIfChild(load: () => Promise<{ default?: unknown }>): Promise<void> {
  const [flag, mode, ...rest] = process.argv.slice(2);
  if (flag !== CHILD_FLAG) return;
  const link = new ChildLink(process.env.TMPDIR ?? ".");
  process.on("uncaughtException", (error) =>
    link.say({ kind: "failed", cause: "agent_error", ...describe(error) }),
  );
  const serve = (options: unknown) => link.serve(serveTasks(options as EvaluationOptions));
  try {
    if (mode === "file") serve((await load()).default);
    else await runScriptAgain(load, link, serve, rest);
  } catch (error) {
    link.say({ kind: "unready", ...describe(error) });
  }
}

/** Runs the script again up to the `evaluate()` that this child serves, as Python's spawn does. */
async function runScriptAgain(
  load: () => Promise<unknown>,
  link: ChildLink,
  serve: (options: unknown) => void,
  [script = "", target = "", earlier = ""]: readonly string[],
): Promise<void> {
  process.argv = [process.execPath, script];
  const readEarlier = () => JSON.parse(readFileSync(earlier, "utf8")) as readonly unknown[];
  installReentry(Number(target), serve, readEarlier);
  process.once("beforeExit", () => {
    const message =
      "the script ended before it came to this evaluate() again; what decides whether it is reached?";
    link.say({ kind: "unready", message, stack: "" });
  });
  await load();
}
