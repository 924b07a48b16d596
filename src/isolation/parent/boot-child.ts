import type { DefinitionBundle } from "../../bundle/bundle.ts";
import { compiledFile } from "../../bundle/files.ts";
import { type Failure, failure } from "../../domain/run/failure.ts";
import { writeWholeFile } from "../../system/write-file.ts";
import type { ChildHandle } from "./child-handle.ts";
import { explainExit, explainViolation, withPlace } from "./explain-failure.ts";

/** Time for an answer; a checker may have left work behind that keeps its process busy. */
const ANSWER_MS = 1_000;

/**
 * Keeps what V8 made of a bundle, if that is news, so that the processes to come start faster.
 * Only a checker's process is asked, which no agent enters: an agent could hand its code to later runs.
 */
export async function keepCompiled(
  checker: ChildHandle,
  { file }: Pick<DefinitionBundle, "file">,
): Promise<void> {
  const code = await askForCompiled(checker);
  if (code.length === 0) return;
  // Where there is no room for it, processes start as slowly as before.
  await writeWholeFile(compiledFile(file), code).catch(() => {});
}

async function askForCompiled(child: ChildHandle): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const nothing = () => resolve(Buffer.alloc(0));
  child.listen({
    message: (message) => {
      if (message.kind === "compiled") resolve(Buffer.from(message.code, "base64"));
    },
    violated: nothing,
    printed: () => {},
    exited: nothing,
  });
  if (child.exit !== null) nothing();
  const late = setTimeout(nothing, ANSWER_MS);
  child.send({ kind: "compile" });
  const code = await promise;
  clearTimeout(late);
  child.listen(null);
  return code;
}

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
      switch (message.kind) {
        case "ready":
          return resolve({ kind: "ready", child });
        case "unready":
          return fail(failure("agent_error", withPlace(message.message, mapStack(message.stack))));
        case "call":
        case "drop_call":
        case "step":
        case "usage":
        case "answered":
        case "failed":
        case "verdict":
        case "check_failed":
        case "compiled":
          return; // Nobody has asked for anything yet.
        default:
          return message satisfies never;
      }
    },
    violated: (violation) => fail(explainViolation("while loading, the evaluation's code", violation)),
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
