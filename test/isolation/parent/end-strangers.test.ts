import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { allProcesses, endStrangers, processesAtFirst } from "../../../src/isolation/parent/processes.ts";

test("a process that nobody knew is ended, and known ones are left alone", async () => {
  const [known, stranger] = [sleeper(), sleeper()];
  const ids = [known.pid ?? 0, stranger.pid ?? 0];
  // Only these two: the machine that tests run on is not ours alone.
  endStrangers(new Set([known.pid ?? 0]), () => [...ids, process.pid]);
  const [, signal] = await once(stranger, "exit");
  expect(signal).toBe("SIGKILL");
  expect(known.exitCode ?? known.signalCode).toBeNull();
  known.kill("SIGKILL");
});

test("all processes are listed, this one among them", () => {
  expect(allProcesses()).toContain(process.pid);
});

test("outside of Lambda nothing is known to be a stranger", () => {
  expect(processesAtFirst("/home/me/.sst/artifacts")).toBeNull();
});

const sleeper = () => spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
