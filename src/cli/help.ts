import { COMMON_FLAGS, type FlagHelp } from "./arguments.ts";
import type { Command } from "./command.ts";
import { COMMANDS, type ListedCommand } from "./command-table.ts";
import { BLANK, type Line } from "./text/line.ts";
import { wrapText } from "./text/width.ts";

/** Describes all commands. */
export function generalHelp(commandName: string): Line[] {
  const commands = Object.values(COMMANDS);
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  return [
    [["Runs agents over models and problems, each run isolated, and reports"]],
    [["how accurate, fast and expensive each model is."]],
    BLANK,
    [["Commands", "bold"]],
    ...commands.map(({ usage, summary }): Line => [[`  ${usage.padEnd(width)}`, "cyan"], [`  ${summary}`]]),
    BLANK,
    [["Flags", "bold"]],
    ...flagLines({ help: COMMON_FLAGS.help, version: { help: "show the version" } }),
    BLANK,
    [["Start with", "bold"]],
    [[`  ${commandName} init`, "cyan"]],
    [["More about a command: "], [`${commandName} run --help`, "cyan"]],
  ];
}

const NARROW = 80;

/** Describes one command with all its flags. */
export function commandHelp(
  { usage, summary }: Omit<ListedCommand, "load">,
  { flags, notes }: Pick<Command, "flags" | "notes">,
  commandName: string,
): Line[] {
  return [
    [[`${commandName} ${usage}`, "cyan"]],
    [[`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`]],
    BLANK,
    [["Flags", "bold"]],
    ...flagLines({ ...flags, ...COMMON_FLAGS }),
    ...(notes.length > 0 ? [BLANK] : []),
    ...notes.flatMap((note) => wrapText(note, NARROW)).map((line): Line => [[line]]),
  ];
}

function flagLines(flags: Readonly<Record<string, FlagHelp>>): Line[] {
  const rows = Object.entries(flags).map(([name, { value, help }]) => ({
    words: value === undefined ? `--${name}` : `--${name} ${value}`,
    help,
  }));
  const width = Math.max(...rows.map(({ words }) => words.length));
  return rows.map(({ words, help }): Line => [[`  ${words.padEnd(width)}`, "cyan"], [`  ${help}`]]);
}
