import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Redactor } from "../../../src/domain/redact.ts";
import { ChildHandle } from "../../../src/isolation/parent/child-handle.ts";
import { aFolder } from "../../fixtures/files/a-folder.ts";

test("a long talk with a model is no flood, however much it comes to", async () => {
  const child = new ChildHandle({
    bundleFile: join(import.meta.dirname, "../../fixtures/processes/programs/send-calls.mjs"),
    args: ["10", "30000000"],
    ...{
      flags: [],
      environment: {},
      variables: {},
      cwd: "/",
      tempFolder: aFolder(),
      marker: "m;",
      maySpawn: false,
    },
    ...{ redactor: new Redactor([]), pass: null },
  });
  onTestFinished(() => child.end("at-once"));
  expect(await answerCalls(child, 10)).toBe("all calls are answered");
});

test("a listener that throws at what a child prints is told, and nothing is thrown", async () => {
  const child = new ChildHandle({
    bundleFile: "--",
    args: [],
    ...{
      flags: ["-e", "console.log(1); setInterval(() => {}, 1_000)"],
      environment: {},
      variables: {},
      cwd: "/",
    },
    ...{ tempFolder: aFolder(), marker: "m;", maySpawn: false, redactor: new Redactor([]), pass: null },
  });
  onTestFinished(() => child.end("at-once"));
  const violated = await new Promise((resolve) => {
    child.listen({
      message: () => {},
      violated: resolve,
      printed: () => {
        throw new Error("a mistake");
      },
      exited: resolve,
    });
  });
  expect(violated).toEqual({ cause: "crashed", why: "Error: a mistake" });
});

/** Answers so many calls, and says how it ended. */
function answerCalls(child: ChildHandle, calls: number): Promise<string> {
  return new Promise((resolve) => {
    child.listen({
      message: (message) => {
        if (message.kind !== "call") return resolve(message.kind);
        child.send({ kind: "answer", id: message.id, answer: { kind: "reply", reply: "yes" } });
        if (message.id === calls - 1) resolve("all calls are answered");
      },
      violated: ({ why }) => resolve(why),
      printed: () => {},
      exited: ({ code }) => resolve(`exit code ${code}`),
    });
  });
}
