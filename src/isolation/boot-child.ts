import { type Failure, failure } from "../domain/failure.ts";
import type { ChildHandle } from "./child-process.ts";
import { withPlace } from "./child-run.ts";
import { explainExit } from "./explain-exit.ts";

export type Boot =
  | { readonly kind: "ready"; readonly child: ChildHandle }
  | {
      readonly kind: "failed";
      readonly child: ChildHandle;
      readonly failure: Failure;
      readonly isForeignDeath: boolean;
    };

/** Waits until a child has loaded the definition and is ready for its run. */
export async function bootChild(
  child: ChildHandle,
  timeoutMs: number,
  mapStack: (stack: string) => string,
): Promise<Boot> {
  const { promise, resolve } = Promise.withResolvers<Boot>();
  const fail = (why: Failure, isForeignDeath = false) =>
    resolve({ kind: "failed", child, failure: why, isForeignDeath });
  const timer = setTimeout(
    () => fail(failure("timeout", `the evaluation's code did not load within ${timeoutMs / 1_000} s`)),
    timeoutMs,
  );
  child.listen({
    message: (message) => {
      if (message.kind === "ready") resolve({ kind: "ready", child });
      if (message.kind !== "unready") return;
      fail(failure("agent_error", withPlace(message.message, mapStack(message.stack))));
    },
    violated: ({ cause, why }) =>
      fail(failure(cause, `while loading, the evaluation's code ${why} on the evaluator's pipe (fd 3)`)),
    printed: () => {},
    exited: (exit) => {
      const why = explainExit(exit, child.stderr.captured().head);
      fail(
        { ...why, message: `while loading the evaluation: ${why.message}` },
        exit.signal !== null && why.cause === "crashed",
      );
    },
  });
  const boot = await promise;
  clearTimeout(timer);
  child.listen(null);
  return boot;
}
