import { didYouMean } from "../domain/format.ts";
import { COMMON_FLAGS, type FlagHelp, splitArgs } from "./arguments.ts";
import type { Command } from "./command.ts";
import { EXIT, reportError, UsageError } from "./exit.ts";
import { type CliHost, readVersion } from "./host.ts";
import { BLANK, type Line, printLines, wrapLine } from "./text/screen.ts";
import { type Cell, layRows } from "./text/table.ts";

/** Runs the whole program: arguments in, text on the screens, exit code out; it never throws. */
export async function runCli(args: readonly string[], outside: CliHost): Promise<number> {
  const [name = ""] = args;
  const host = { ...outside, command: Object.hasOwn(COMMANDS, name) ? name : null };
  try {
    return await dispatch(args, host);
  } catch (error) {
    return reportError(error, host);
  }
}

async function dispatch([name, ...rest]: readonly string[], host: CliHost): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") return help(rest[0], host);
  if (name === "--version" || name === "-v") {
    host.stdout.write(`${readVersion()}\n`);
    return EXIT.done;
  }
  const command = await commandNamed(name).load();
  const { words, flags } = splitArgs(name, command.flags, rest);
  return flags.help ? help(name, host) : command.execute(host, words, flags);
}

function commandNamed(name: string): ListedCommand {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command;
  if (/\.[cm]?[jt]s$/.test(name))
    throw new UsageError(`"${name}" is not a command. Did you mean run ${name}?`);
  throw new UsageError(
    `"${name}" is not a ${name.startsWith("-") ? "flag" : "command"}.${didYouMean(name, Object.keys(COMMANDS))}`,
  );
}

async function help(name: string | undefined, { stdout, commandName }: CliHost): Promise<number> {
  if (name === undefined || name.startsWith("-")) printLines(stdout, generalHelp(commandName));
  else {
    const listed = commandNamed(name);
    printLines(stdout, commandHelp(listed, await listed.load(), commandName));
  }
  return EXIT.done;
}

/** Describes all commands. */
export function generalHelp(commandName: string): Line[] {
  const commands = Object.values(COMMANDS).map(({ usage, summary }): Cell[] => [
    [[`  ${usage}`, "cyan"]],
    summary,
  ]);
  return [
    [["Runs agents over models and problems, each run isolated, and reports"]],
    [["how accurate, fast and expensive each model is."]],
    BLANK,
    [["Commands", "bold"]],
    ...layRows(commands),
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
    ...notes.flatMap((note) => wrapLine(note, NARROW)),
  ];
}

const flagLines = (flags: Readonly<Record<string, FlagHelp>>): Line[] =>
  layRows(
    Object.entries(flags).map(([name, { value, help }]) => [
      [[value === undefined ? `  --${name}` : `  --${name} ${value}`, "cyan"]],
      help,
    ]),
  );

interface ListedCommand {
  readonly usage: string;
  readonly summary: string;
  /** Loaded only when it is used: a command's imports cost more than everything before it. */
  load(): Promise<Command>;
}

export const COMMANDS: Readonly<Record<string, ListedCommand>> = {
  run: {
    usage: "run FILE… [flags]",
    summary: "run evaluation files and report how good each model is",
    load: async () => (await import("./commands/run.ts")).runCommand,
  },
  estimate: {
    usage: "estimate FILE [flags]",
    summary: "estimate tokens, cost and time of a run",
    load: async () => (await import("./commands/estimate.ts")).estimateCommand,
  },
  check: {
    usage: "check [ID] [FILE]",
    summary: "check stored results again, without running agents",
    load: async () => (await import("./commands/check.ts")).checkCommand,
  },
  list: {
    usage: "list [flags]",
    summary: "list evaluations, newest first",
    load: async () => (await import("./commands/list.ts")).listCommand,
  },
  show: {
    usage: "show [ID] [flags]",
    summary: "show an evaluation, its runs, or one run step by step",
    load: async () => (await import("./commands/show.ts")).showCommand,
  },
  report: {
    usage: "report [ID] [flags]",
    summary: "write an evaluation as one HTML file",
    load: async () => (await import("./commands/report.ts")).reportCommand,
  },
  compare: {
    usage: "compare [A B] [flags]",
    summary: "show what changed between two evaluations",
    load: async () => (await import("./commands/compare.ts")).compareCommand,
  },
  view: {
    usage: "view [ID] [flags]",
    summary: "open evaluations in the browser, also while they run",
    load: async () => (await import("./commands/view.ts")).viewCommand,
  },
  watch: {
    usage: "watch [ID] [flags]",
    summary: "follow an evaluation that runs elsewhere until it ends",
    load: async () => (await import("./commands/watch.ts")).watchCommand,
  },
  serve: {
    usage: "serve [FILE…] [flags]",
    summary: "serve evaluations and their results over HTTP",
    load: async () => (await import("./commands/serve.ts")).serveCommand,
  },
  init: {
    usage: "init [FILE] [flags]",
    summary: "write a first evaluation that runs without any key",
    load: async () => (await import("./commands/init.ts")).initCommand,
  },
};
