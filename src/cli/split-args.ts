import { parseArgs } from "node:util";
import { COMMON_FLAGS, type Command, type Flag, type RawFlags } from "./command-table.ts";
import { didYouMean } from "./did-you-mean.ts";
import { UsageError } from "./usage-error.ts";

export interface SplitArgs {
  readonly words: readonly string[];
  readonly flags: RawFlags;
}

/** Splits a command's arguments into words and known flags; values are still texts. */
export function splitArgs(name: string, command: Command, args: readonly string[]): SplitArgs {
  const known: Readonly<Record<string, Flag>> = { ...command.flags, ...COMMON_FLAGS };
  const { tokens } = parseArgs({
    args: [...args],
    options: parserOptions(known),
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
  const words: string[] = [];
  const flags: Record<string, string | boolean | readonly string[]> = {};
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const flag = known[token.name];
    if (flag === undefined || !Object.hasOwn(known, token.name))
      throw unknownFlag(name, token.rawName, known);
    const value = readValue(name, token, flag);
    if (flag.isList) flags[token.name] = [...asList(flags[token.name]), String(value)];
    else flags[token.name] = value;
  }
  return { words, flags };
}

interface OptionToken {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function readValue(name: string, token: OptionToken, flag: Flag): string | true {
  if (flag.value === undefined) {
    if (token.value === undefined) return true;
    throw new UsageError(`${token.rawName} takes no value, got "${token.value}".`, name);
  }
  const isNextFlag = !token.inlineValue && /^--?[a-z]/i.test(token.value ?? "");
  if (token.value === undefined || isNextFlag) {
    throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${flag.value}.`, name);
  }
  return token.value;
}

const asList = (value: RawFlags[string] | undefined): readonly string[] =>
  Array.isArray(value) ? value : [];

const parserOptions = (known: Readonly<Record<string, Flag>>) =>
  Object.fromEntries(
    Object.entries(known).map(([flag, { value, short }]) => [
      flag,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );

function unknownFlag(name: string, typed: string, known: Readonly<Record<string, Flag>>): UsageError {
  const names = Object.keys(known).map((flag) => `--${flag}`);
  return new UsageError(`${name} has no flag ${typed}.${didYouMean(typed, names)}`, name);
}
