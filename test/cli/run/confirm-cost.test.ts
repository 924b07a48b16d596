import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { readFlags } from "../../../src/cli/command.ts";
import { processHost } from "../../../src/cli/host.ts";
import { confirmCost } from "../../../src/cli/run/estimate.ts";
import { RUN_FLAGS } from "../../../src/cli/run/flags.ts";
import type { JobSession } from "../../../src/cli/run/jobs.ts";
import { lazyStore } from "../../../src/cli/store.ts";
import { aProject } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

/** A session on a terminal, on which this is typed. */
function onTerminal(cwd: string, typed: string) {
  const host = processHost(process);
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(`${typed}\n`);
  const stdout = new PassThrough();
  const screen = { ...host.stdout, isLive: true };
  const terminal = { ...host, cwd, stdout: screen, process: { stdin, stdout } as unknown as NodeJS.Process };
  const store = lazyStore(terminal, undefined);
  onTestFinished(() => store[Symbol.asyncDispose]());
  const session = {
    host: terminal,
    store,
    flags: readFlags(RUN_FLAGS, { "confirm-above": "0", limit: "1" }),
    interruption: { signal: new AbortController().signal },
  } as unknown as JobSession;
  return { session, shown: () => String(stdout.read() ?? "") };
}

test.each([
  ["y", true],
  ["Yes", true],
  ["n", false],
  ["", false],
  ["yellow", false],
])("on a terminal %j is an answer", async (typed, isConfirmed) => {
  const cwd = aProject({ "steady.eval.ts": readFileSync(evalFile("steady"), "utf8") });
  const { session, shown } = onTerminal(cwd, typed);
  const path = join(cwd, "steady.eval.ts");
  const pilots = await confirmCost(session, [{ path, file: "steady.eval.ts", resumed: null }]);
  expect(pilots !== null).toBe(isConfirmed);
  expect(shown()).toMatch(/This may cost \$\S+ to \$\S+, more than \$0\. Go on\? \[y\/N\] /);
});
