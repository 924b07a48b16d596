import { EvaluatorError } from "../domain/errors.ts";
import type { FromChild, SentDefinition } from "../isolation/isolation.ts";
import { hearAnswer } from "../isolation/parent/boot-child.ts";
import type { ChildHandle, ChildListener } from "../isolation/parent/child-handle.ts";
import { ChildProcesses, type ChildProcessesSpec } from "../isolation/parent/child-processes.ts";

/** Some of its problems. */
export type SentProblems = Extract<FromChild, { kind: "problems" }>;

/** The news that came in place of a definition. */
type NoDefinition =
  | { readonly kind: "evaluates" }
  | { readonly kind: "threw"; readonly message: string; readonly stack: string };

/** Longer than anybody waits for a definition; whoever stops waiting ends the process. */
const PATIENCE_MS = 86_400_000;

/** A process of its own for a definition and all that it imports. */
export class DefinitionProcess implements AsyncDisposable {
  readonly #processes: ChildProcesses;
  readonly #child: ChildHandle;

  constructor(spec: ChildProcessesSpec) {
    this.#processes = new ChildProcesses(spec);
    this.#child = this.#processes.start("run");
  }

  /** Waits until it has loaded, and says what it is. */
  async describe(): Promise<SentDefinition | NoDefinition> {
    const said = await this.#hear<SentDefinition>((message, answer) => {
      if (message.kind === "definition" || message.kind === "evaluates") answer(message);
      if (message.kind === "unready") answer({ ...message, kind: "threw" });
    });
    await this.#child.drainOutput();
    return said;
  }

  /** Gives the next problems, at most so many. */
  async problems(most: number): Promise<SentProblems> {
    // What it may send counts anew.
    this.#child.beginTask();
    this.#child.send({ kind: "more_problems", most });
    const said = await this.#hear<SentProblems>((message, answer) => {
      if (message.kind === "problems") answer(message);
    });
    if (said.kind === "problems") return said;
    const why = said.kind === "threw" ? said.message : "its process ended";
    throw new EvaluatorError("problem.unreadable", `the problems could not be read: ${why}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#processes.close();
  }

  #hear<Answer>(
    message: (message: FromChild, answer: (answer: Answer | NoDefinition) => void) => void,
  ): Promise<Answer | NoDefinition> {
    const ended = (why: string): NoDefinition => ({ kind: "threw", message: why, stack: why });
    const late = ended("it took more than a day");
    return hearAnswer<Answer | NoDefinition>(this.#child, { ms: PATIENCE_MS, late }, (answer) => {
      const listener: Omit<ChildListener, "printed"> = {
        message: (said) => message(said, answer),
        violated: ({ why }) => answer(ended(`its process ${why}`)),
        exited: ({ code, signal, error }) =>
          answer(ended(error?.message ?? `its process ended with ${signal ?? `exit code ${code}`}`)),
      };
      return listener;
    });
  }
}
