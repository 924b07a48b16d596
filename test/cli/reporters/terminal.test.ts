import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli, startCli } from "../../fixtures/cli/start-cli.ts";
import { terminalPicture } from "../../fixtures/cli/terminal-picture.ts";
import { aProject } from "../../fixtures/files/a-project.ts";
import { evalFile } from "../../fixtures/run/run-file.ts";

const nodeFlags = ["--import", join(import.meta.dirname, "../../fixtures/cli/pretend-terminal.ts")];
const END_OF_FRAME = "\x1b[?2026l";

test("on a terminal a bar per model is drawn in place while runs are under way", async () => {
  const cli = startCli(["run", evalFile("waiting")], { cwd: aProject(), nodeFlags });
  await cli.shows("2 of 4 runs, 2 running");
  await cli.shows(END_OF_FRAME);
  cli.kill("SIGINT");
  const { stdout } = await cli.exit;
  const frames = stdout.split(END_OF_FRAME);
  const drawn = frames.findIndex((frame) => frame.includes("2 of 4 runs, 2 running"));
  const [head, quick, endless, ...below] = terminalPicture(frames.slice(0, drawn + 1).join(""));
  expect(head).toMatch(/^waiting {2}2 of 4 runs, 2 running {2}\d+s, about \d+s left$/);
  expect(quick).toMatch(/^scripted\/quick +━+ {2}2\/2 {2}✓ 2 ✗ 0 ! 0 {2}\d+ tok {2}cost unknown$/);
  expect(endless?.trimEnd()).toMatch(/^scripted\/endless +─+ {2}0\/2 {2}✓ 0 ✗ 0 ! 0 {2}0 tok$/);
  expect(below).toEqual([""]);
  expect([head, quick, endless].every((line) => (line ?? "").length < 80)).toBe(true);
});

test("when an evaluation has ended the bars are gone and the cursor is back", async () => {
  const cwd = aProject();
  const { stdout } = await runCli(["run", evalFile("capitals"), "--isolation", "pool"], { cwd, nodeFlags });
  const picture = terminalPicture(stdout);
  expect(picture[1]).toMatch(/^capitals {2}6 runs finished in /);
  expect(picture.join("\n")).not.toContain("━");
  expect(stdout.lastIndexOf("\x1b[?25h")).toBeGreaterThan(stdout.lastIndexOf("\x1b[?25l"));
});

test("what a definition prints appears above the bars", async () => {
  const { stdout } = await runCli(["run", evalFile("capitals")], { cwd: aProject(), nodeFlags });
  const picture = terminalPicture(stdout);
  expect(picture.filter((line) => line.includes("was asked"))).toHaveLength(5);
  expect(picture.at(picture.indexOf("") - 1)).toContain("was asked");
});
