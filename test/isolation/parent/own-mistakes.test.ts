import { expect, onTestFinished, test } from "vitest";
import { Limits } from "../../../src/domain/limits.ts";
import { readDefinition } from "../../../src/engine/definition/read-definition.ts";
import type { Isolation, TaskHost } from "../../../src/isolation/isolation.ts";
import { openRunDeps } from "../../../src/local/compose.ts";
import { loadDefinition } from "../../../src/local/load-definition.ts";
import { sha256 } from "../../../src/system/digest.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const FAULTY = new Error("the evaluator has a mistake");
const fail = (): never => {
  throw FAULTY;
};

const aHost = (part: Partial<TaskHost> = {}): TaskHost => ({
  signal: new AbortController().signal,
  call: async () => ({ kind: "failed", code: "agent_error", message: "no models here" }),
  serveToken: () => {},
  releaseToken: async () => {},
  step: () => {},
  usage: () => {},
  onWaiting: () => {},
  ...part,
});

const aTask = (problem: string) => ({
  ...{ runId: problem, providerKey: "scripted", model: "none", problemId: problem, problem, trial: 1 },
});

async function openIsolation(file: string): Promise<Isolation> {
  const { options, bundle } = await loadDefinition(evalFile(file));
  const definition = await readDefinition({ ...options, concurrency: 4 }, sha256);
  const { isolation, close } = await openRunDeps(definition, { bundle });
  onTestFinished(close);
  return isolation;
}

test("a mistake of ours while a child is heard ends that child's task as crashed, and no other", async () => {
  const isolation = await openIsolation("emits-everything");
  const limits = Limits.parse({ timeoutSeconds: 60 });
  const reports = await Promise.all([
    isolation.run(aTask("emits a step"), limits, aHost({ step: fail })),
    isolation.run(aTask("reports usage"), limits, aHost({ usage: fail })),
    isolation.run(aTask("calls a model"), limits, aHost({ call: fail })),
    isolation.run(aTask("emits a step"), limits, aHost()),
  ]);
  const crashed = (what: string) => ({
    kind: "failed",
    failure: {
      cause: "crashed",
      fault: "infrastructure",
      message: `the evaluator could not accept what the agent sent: ${what}`,
    },
  });
  const mistake = crashed("Error: the evaluator has a mistake");
  expect(reports.map(({ outcome }) => outcome)).toEqual([
    mistake,
    mistake,
    mistake,
    { kind: "answered", result: "done" },
  ]);
});
