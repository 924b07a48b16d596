import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { EvaluatorError } from "../../domain/errors.ts";
import { parseJson } from "../../domain/json.ts";
import { basicEnvironment } from "./permissions.ts";

/** The file number of the pipe to which a program writes its answer, as JSON. */
export const ANSWER_FD = 3;

interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** It sees the basics of these: no keys, and none of Node's own options. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly maxMs: number;
}

/** Runs one of our own programs in a `node` of its own and gives its answer; what it prints is printed as it comes. */
export async function askProgram({ program, args, cwd, variables, maxMs }: ProgramCall): Promise<unknown> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: basicEnvironment(variables),
    stdio: ["ignore", "inherit", "inherit", "pipe"],
    timeout: maxMs,
    killSignal: "SIGKILL",
  });
  const pipe = child.stdio[ANSWER_FD];
  const [said, [code, signal]] = await Promise.all([
    pipe instanceof Readable ? text(pipe) : "",
    once(child, "exit"),
  ]);
  const answer = parseJson(said);
  if (answer !== undefined) return answer;
  throw new EvaluatorError(
    "program.no_answer",
    `${program} ended without an answer (${signal ?? `exit code ${code}`}); what it printed above says why`,
  );
}
