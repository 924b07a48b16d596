import type { DefinitionBundle } from "../../bundle/bundle.ts";
import { compiledFile } from "../../bundle/files.ts";
import { type Failure, failure, faultOf } from "../../domain/run/failure.ts";
import { writeWholeFile } from "../../system/write-file.ts";
import type { ChildHandle, ChildListener } from "./child-handle.ts";
import { explainExit, explainThrown, explainViolation, isForeignDeath } from "./explain-failure.ts";

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

function askForCompiled(child: ChildHandle): Promise<Buffer> {
  const nothing = Buffer.alloc(0);
  child.send({ kind: "compile" });
  return hearAnswer<Buffer>(child, { ms: ANSWER_MS, late: nothing }, (answer) => {
    if (child.exit !== null) answer(nothing);
    return {
      message: (message) => message.kind === "compiled" && answer(Buffer.from(message.code, "base64")),
      violated: () => answer(nothing),
      exited: () => answer(nothing),
    };
  });
}

/** Hears a child until it has given an answer, or for as long as that may take. */
export async function hearAnswer<Answer>(
  child: ChildHandle,
  patience: { readonly ms: number; readonly late: Answer },
  hear: (answer: (answer: Answer) => void) => Omit<ChildListener, "printed">,
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => resolve(patience.late), patience.ms);
  child.listen({ ...hear(resolve), printed: () => {} });
  const answer = await promise;
  clearTimeout(timer);
  child.listen(null);
  return answer;
}

export type Boot =
  | { readonly kind: "ready"; readonly child: ChildHandle }
  | {
      readonly kind: "failed";
      readonly child: ChildHandle;
      readonly failure: Failure;
      readonly isForeignDeath: boolean;
      /** Its time was up. */
      readonly isLate: boolean;
    };

/** Waits until a child has loaded the definition and is ready for its run. */
export function bootChild(
  child: ChildHandle,
  timeoutMs: number,
  mapStack: (stack: string) => string,
): Promise<Boot> {
  const who = "while loading, the evaluation's code";
  const failed = (why: Failure, isForeign = false): Boot => ({
    kind: "failed",
    child,
    failure: withoutModel(why),
    isForeignDeath: isForeign,
    isLate: false,
  });
  const late = { ...failed(failure("agent_error", tooSlow(timeoutMs / 1_000))), isLate: true };
  return hearAnswer<Boot>(child, { ms: timeoutMs, late }, (answer) => ({
    message(message) {
      if (message.kind === "ready") answer({ kind: "ready", child });
      if (message.kind !== "unready") return;
      answer(failed(failure("agent_error", explainThrown(message, { ...child.spec, mapStack }))));
    },
    violated: (violation) => answer(failed(explainViolation(who, violation))),
    exited(exit) {
      const why = explainExit(who, exit, child.stderr.captured().head);
      answer(failed(why, isForeignDeath(exit, why)));
    },
  }));
}

/** No model was asked yet, so nothing that goes wrong while the code loads is its fault. */
const withoutModel = (why: Failure): Failure =>
  faultOf(why.cause) === "model" ? failure("agent_error", why.message) : why;

const tooSlow = (seconds: number): string =>
  `the evaluation's code did not load within ${seconds} s; do less while it loads, or raise limits.timeoutSeconds`;
