import type { Limits } from "../../domain/limits.ts";
import type { CheckReport, CheckTask, Host } from "../isolation.ts";
import { watchCheck } from "../task-clock.ts";
import type { ChildHandle } from "./child-handle.ts";
import { explainExit, explainViolation, serveCalls, withPlace } from "./child-run.ts";

/** One check in a checker's process; a checker that throws, hangs or dies is reported, never counted as a wrong answer. */
export async function checkInChild(
  child: ChildHandle,
  task: CheckTask,
  limits: Limits,
  host: Host,
  mapStack: (stack: string) => string,
): Promise<{ report: CheckReport; isReusable: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ report: CheckReport; isReusable: boolean }>();
  const fail = (message: string, isReusable = false) =>
    resolve({ report: { kind: "failed", message }, isReusable });
  child.beginTask();
  const calls = serveCalls(child, host);
  const stopWatch = watchCheck(host, limits, fail);
  child.listen({
    message: (message) => {
      if (message.kind === "verdict") resolve({ report: message, isReusable: true });
      if (message.kind === "check_failed") fail(withPlace(message.message, mapStack(message.stack)), true);
      if (message.kind === "usage") host.usage(message.usage, message.model);
      if (message.kind === "call" || message.kind === "drop_call") calls.hear(message);
    },
    violated: (violation) => fail(explainViolation("the checker", violation).message),
    printed: (bytes) => {
      if (bytes > limits.outputKb * 1024)
        fail(`the checker printed more than limits.outputKb (${limits.outputKb} KB)`);
    },
    exited: (exit) => fail(`while checking: ${explainExit(exit, child.stderr.captured().head).message}`),
  });
  if (child.pass !== null) host.serveToken(child.pass.token);
  child.send({ kind: "check", task });
  const result = await promise;
  stopWatch();
  calls.dropAll();
  if (child.pass !== null) await host.releaseToken(child.pass.token);
  child.listen(null);
  return result;
}
