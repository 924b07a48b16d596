import { ChildLink, outputFlusher } from "./child/link.ts";
import { CHILD_FLAG, installReentry, refuseToEvaluate } from "./child/reentry.ts";
import { DefinitionSource } from "./child/send-definition.ts";
import { describe, serveTasks } from "./child/serve-tasks.ts";
import { stayInside } from "./child/stay-inside.ts";
import { placeProblems } from "./datasets/datasets.ts";
import type { EvaluationOptions } from "./engine/definition/definition.ts";

// A bundle evaluates this module before the user's, so that even code that throws while it loads is heard.
const [flag, mode, ...rest] = process.argv.slice(2);
const serve = flag === CHILD_FLAG ? listen() : null;
if (serve !== null && mode === "script") prepareScript(serve, rest);

/** Serves the evaluation that the user's module exports, in a child that was started for it. */
export function serveIfChild(user: { readonly default?: unknown }): void {
  if (mode === "file" || mode === "definition") serve?.(user.default);
}

function listen(): (options: unknown) => void {
  stayInside(process);
  const link = new ChildLink(process.env.TMPDIR ?? ".", () => process.exit(1), outputFlusher(process));
  process.on("uncaughtException", (error) =>
    link.say(
      link.isServing
        ? { kind: "failed", cause: "agent_error", ...describe(error) }
        : { kind: "unready", ...describe(error) },
    ),
  );
  if (mode === "definition") refuseToEvaluate(() => link.refuseDefinition());
  return (options) => {
    if (mode !== "definition") return link.serve(serveTasks(options as EvaluationOptions));
    placeProblems(Object(options).problems, rest[0] ?? ".");
    link.serveDefinition(new DefinitionSource(options));
  };
}

/** Lets the script run again up to the `evaluate()` that this child serves, as Python's spawn does. */
function prepareScript(
  reach: (options: unknown) => void,
  [script = "", target = "", earlier = "", ...args]: readonly string[],
): void {
  process.argv = [process.execPath, script, ...args];
  installReentry(Number(target), reach, () => JSON.parse(readEarlier(earlier)) as readonly unknown[]);
  process.once("beforeExit", () => {
    throw new Error(
      "the script ended before it reached this evaluate() again; make sure that every start of it reaches it",
    );
  });
}

const readEarlier = (file: string): string => process.getBuiltinModule("node:fs").readFileSync(file, "utf8");
