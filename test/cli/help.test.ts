import { expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit.ts";
import { COMMANDS, commandHelp, generalHelp } from "../../src/cli/run-cli.ts";
import { type Line, lineWidth } from "../../src/cli/text/screen.ts";

const NARROW = 80;
const CALLED = "npx agent-evaluator";
const tooWide = (lines: readonly Line[]) => lines.filter((line) => lineWidth(line) > NARROW);

const commands = await Promise.all(
  Object.entries(COMMANDS).map(async ([name, listed]) => ({ name, listed, command: await listed.load() })),
);

test("the help fits a narrow terminal", () => {
  expect(tooWide(generalHelp(CALLED))).toEqual([]);
  for (const { listed, command } of commands)
    expect(tooWide(commandHelp(listed, command, CALLED))).toEqual([]);
});

test("the help names every command and every flag", () => {
  const text = (lines: readonly Line[]) => lines.flat().join("\n");
  for (const { name, listed, command } of commands) {
    expect(text(generalHelp(CALLED))).toContain(`  ${name}`);
    for (const flag of Object.keys(command.flags)) {
      expect(text(commandHelp(listed, command, CALLED))).toContain(`--${flag}`);
    }
  }
});

test("the help of run names every exit code", () => {
  const run = commands.find(({ name }) => name === "run");
  const [, codes = ""] = run?.command.notes.join(" ").split("Exit codes:") ?? [];
  for (const code of Object.values(EXIT)) expect(codes).toMatch(new RegExp(`\\b${code} [a-z]`));
});
