import { spawn } from "node:child_process";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import { isInterrupted, openOwner } from "../../src/local/owner.ts";
import { commandOf } from "../fixtures/processes/process-tree.ts";
import { anEvaluation } from "../fixtures/records/a-log-entry.ts";
import { PATIENCE } from "../fixtures/run/patience.ts";

const isLost = (owner: string | null) => isInterrupted(anEvaluation({ status: "running", owner }));

/** What names this process, with other parts. */
function ownerWith(changes: { host?: string; pid?: number; place?: string; start?: string }): string {
  using own = openOwner();
  const [host, pid, place, start, work] = own.name.split(":");
  return Object.values({ ...{ host, pid, place, start, work }, ...changes }).join(":");
}

test.each([
  ["that nobody took", null, true],
  ["that an older release works on", `${hostname()}:${process.pid}`, false],
  ["whose older release is gone", `${hostname()}:999999999`, true],
  ["of another machine, which cannot be asked", ownerWith({ host: "elsewhere", place: "other" }), false],
  ["of an older release on another machine", "elsewhere:1", false],
  ["whose process is gone", ownerWith({ pid: 999_999_999 }), true],
  ["whose process number is another's now", ownerWith({ pid: process.ppid }), true],
  ["that was under way before the machine started again", ownerWith({ place: "other" }), true],
  ["that this process has done with", ownerWith({}), true],
])("an evaluation %s: interrupted is told apart", (_which, owner, lost) => {
  expect(isLost(owner)).toBe(lost);
});

test.each([
  ["in the cloud", { owner: null, execution: "capitals-1" }],
  ["ended", { owner: null, status: "finished" as const }],
])("an evaluation that is %s is not interrupted", (_what, fields) => {
  expect(isInterrupted(anEvaluation(fields))).toBe(false);
});

test("an evaluation is a process's own for as long as it works on it", () => {
  const first = openOwner();
  using second = openOwner();
  expect([isLost(first.name), isLost(second.name)]).toEqual([false, false]);
  first[Symbol.dispose]();
  expect([isLost(first.name), isLost(second.name)]).toEqual([true, false]);
});

test("another process is known after its host got another name, and lost when it was killed", async () => {
  const owner = await startOwner();
  const renamed = owner.replace(hostname(), "earlier-name");
  expect([isLost(owner), isLost(renamed)]).toEqual([false, false]);
  process.kill(Number(owner.split(":")[1]), "SIGKILL");
  await vi.waitFor(() => expect([isLost(owner), isLost(renamed)]).toEqual([true, true]), PATIENCE);
  // Its parent never hears of its end, so that its number is not free.
  expect(commandOf(Number(owner.split(":")[1]))).toContain("<defunct>");
});

/** The name of an owner in a process whose parent does not look after it. */
async function startOwner(): Promise<string> {
  const program = join(import.meta.dirname, "../fixtures/processes/programs/be-owner.ts");
  const args = ["-c", '"$0" "$1" & exec sleep 60', process.execPath, program];
  const parent = spawn("bash", args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  for await (const line of createInterface({ input: parent.stdout })) {
    onTestFinished(() => void process.kill(Number(line.split(":")[1]), "SIGKILL"));
    return line;
  }
  throw new Error("the owner said no name");
}
