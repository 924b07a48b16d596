import { didYouMean, splitArgs } from "./arguments.ts";
import { COMMANDS } from "./command-table.ts";
import { EXIT, reportError, UsageError } from "./errors.ts";
import type { Host } from "./host.ts";
import { printLines } from "./screen.ts";

/** The whole program: arguments in, text on the screens, exit code out; it never throws. */
export async function runCli(args: readonly string[], host: Host): Promise<number> {
  try {
    return await dispatch(args, host);
  } catch (error) {
    return reportError(error, host);
  }
}

async function dispatch([name, ...rest]: readonly string[], host: Host): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") return help(rest[0], host);
  if (name === "--version" || name === "-v") return version(host);
  const command = commandNamed(name);
  const { words, flags } = splitArgs(name, command, rest);
  if (flags.help) return help(name, host);
  const { execute } = await command.load();
  return execute(host, words, flags);
}

function commandNamed(name: string) {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command;
  if (/\.[cm]?[jt]s$/.test(name))
    throw new UsageError(`"${name}" is not a command. Did you mean run ${name}?`);
  throw new UsageError(
    `"${name}" is not a ${name.startsWith("-") ? "flag" : "command"}.${didYouMean(name, Object.keys(COMMANDS))}`,
  );
}

async function help(name: string | undefined, host: Host): Promise<number> {
  const { commandHelp, generalHelp } = await import("./help.ts");
  const isCommand = name !== undefined && !name.startsWith("-");
  const lines = isCommand ? commandHelp(commandNamed(name), host.commandName) : generalHelp(host.commandName);
  printLines(host.stdout, lines);
  return EXIT.done;
}

async function version(host: Host): Promise<number> {
  const { readVersion } = await import("./package.ts");
  host.stdout.write(`${readVersion()}\n`);
  return EXIT.done;
}
