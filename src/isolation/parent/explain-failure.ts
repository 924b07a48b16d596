import { GATEWAY_VARIABLES } from "../../domain/gateway-access.ts";
import { type Failure, failure } from "../../domain/run/failure.ts";
import type { Violation } from "../frames.ts";
import type { Exit } from "./child-handle.ts";

/** Explains why a process ended before it answered. */
export function explainExit(who: string, { error, signal, code }: Exit, stderr: string): Failure {
  if (error !== null) return failure("crashed", explainRefusal(error));
  if (signal !== null && FROM_OUTSIDE.has(signal))
    return failure("crashed", `${who} was killed by ${signal}, which the evaluator did not send`);
  if (signal !== null && /JavaScript heap out of memory|Allocation failed/.test(stderr))
    return failure("out_of_memory", `${who} ran out of heap memory; raise limits.memoryMb if it needs more`);
  if (signal !== null)
    return failure(
      "agent_error",
      `${who} ended its process with ${signal}: it aborted, or its native code failed`,
    );
  if (code === 0) return failure("no_answer", `${who} ended its process before it answered`);
  // A module bundle that imports it ends before our own code could explain that.
  if (stderr.includes("No such built-in module: node:sqlite"))
    return failure(
      "agent_error",
      "a run may not use node:sqlite; `trusted: true` in the evaluation allows it",
    );
  return failure("agent_error", `${who} ended its process with exit code ${code} before it answered`);
}

/** Says whether a process died by a signal that neither it nor the evaluator sent, which earns another attempt. */
export const isForeignDeath = ({ signal }: Exit, { cause }: Failure): boolean =>
  signal !== null && cause === "crashed";

/** What somebody outside may end a process with; the others are for what it does itself, as it aborts. */
const FROM_OUTSIDE = new Set<NodeJS.Signals>(["SIGHUP", "SIGINT", "SIGQUIT", "SIGKILL", "SIGTERM"]);

const NEXT_STEPS: Readonly<Record<string, string>> = {
  EMFILE: "lower the concurrency, or allow more open files (ulimit -n)",
  ENFILE: "lower the concurrency, or allow the machine more open files",
  EAGAIN: "lower the concurrency, or allow more processes (ulimit -u)",
};

function explainRefusal({ code = "", message }: NodeJS.ErrnoException): string {
  const next = NEXT_STEPS[code];
  return `the run's process could not be started: ${message}${next === undefined ? "" : `; ${next}`}`;
}

/** Says what was wrong with a message of a child's, and who sent it. */
export function explainViolation(who: string, { cause, why }: Violation): Failure {
  if (cause === "crashed") return failure(cause, `the evaluator could not accept what ${who} sent: ${why}`);
  return cause === "limit"
    ? failure(cause, `${who} ${why}`)
    : failure(cause, `${who} wrote to the evaluator's own pipe (fd 3): it ${why}`);
}

interface Thrown {
  readonly message: string;
  readonly stack: string;
}

interface Surroundings {
  readonly mapStack: (stack: string) => string;
  readonly environment: Variables;
  /** The evaluator's own variables. */
  readonly variables: Variables;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Adds to a message the first line of the user's own code that was on the stack, and how it gets a variable it names. */
export function explainThrown({ message, stack }: Thrown, { mapStack, ...own }: Surroundings): string {
  const place = mapStack(stack)
    .split("\n")
    .find((line) => /^\s+at /.test(line) && !isOfNode(line));
  return `${message}${place === undefined ? "" : ` (${place.trim()})`}${passOn(message, own)}`;
}

/** What a run misses may be there, and only not be passed on to it. */
function passOn(message: string, { environment, variables }: Omit<Surroundings, "mapStack">): string {
  const name = message
    .match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)
    ?.find((word) => variables[word] !== undefined && environment[word] === undefined);
  if (name === undefined) return "";
  const gateway = Object.hasOwn(GATEWAY_VARIABLES, name) ? "`gateway: true` or " : "";
  return `; ${name} is set but not passed on to runs: add ${gateway}\`env: ["${name}"]\` to the evaluation`;
}

const isOfNode = (line: string): boolean => /\bnode:|\(<anonymous>\)/.test(line);
