import { COMMANDS, COMMON_FLAGS, type Command, type Flag } from "./command-table.ts";
import { BLANK, type Line } from "./text/line.ts";

/** What all commands do. */
export function generalHelp(commandName: string): Line[] {
  const commands = Object.values(COMMANDS);
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  return [
    [["Runs agents over models and problems, each run isolated, and says how good,"]],
    [["how fast and how dear every model is."]],
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

/** What one command does, with all its flags. */
export function commandHelp(command: Command, commandName: string): Line[] {
  const notes = command.notes ?? [];
  return [
    [[`${commandName} ${command.usage}`, "cyan"]],
    [[`${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`]],
    BLANK,
    [["Flags", "bold"]],
    ...flagLines({ ...command.flags, ...COMMON_FLAGS }),
    ...(notes.length > 0 ? [BLANK, ...notes.map((note): Line => [[note]])] : []),
  ];
}

function flagLines(flags: Readonly<Record<string, Flag>>): Line[] {
  const rows = Object.entries(flags).map(([name, { value, help }]) => ({
    words: value === undefined ? `--${name}` : `--${name} ${value}`,
    help,
  }));
  const width = Math.max(...rows.map(({ words }) => words.length));
  return rows.map(({ words, help }): Line => [[`  ${words.padEnd(width)}`, "cyan"], [`  ${help}`]]);
}
