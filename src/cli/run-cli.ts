import { didYouMean, splitArgs } from "./arguments.ts";
import { COMMANDS, type ListedCommand } from "./command-table.ts";
import { EXIT, reportError, UsageError } from "./errors.ts";
import { type CliHost, readVersion } from "./host.ts";
import { printLines } from "./screen.ts";

/** Runs the whole program: arguments in, text on the screens, exit code out; it never throws. */
export async function runCli(args: readonly string[], host: CliHost): Promise<number> {
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
  const { commandHelp, generalHelp } = await import("./help.ts");
  if (name === undefined || name.startsWith("-")) printLines(stdout, generalHelp(commandName));
  else {
    const listed = commandNamed(name);
    printLines(stdout, commandHelp(listed, await listed.load(), commandName));
  }
  return EXIT.done;
}
