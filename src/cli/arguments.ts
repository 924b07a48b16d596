import { parseArgs } from "node:util";
import { didYouMean } from "../domain/format.ts";
import { UsageError } from "./exit.ts";

// Read before any command is loaded, so nothing here imports zod.

/** A flag as it is typed, and as the help describes it. */
export interface FlagHelp {
  /** Name of the value in the help; a flag without one is a switch. */
  readonly value?: string;
  readonly isList?: true;
  /** One letter that stands for it, as in -o. */
  readonly short?: string;
  readonly help: string;
}

/** Known to every command. */
export const COMMON_FLAGS = {
  help: { short: "h", help: "show this help" },
  debug: { help: "show where an unexpected error comes from" },
} as const satisfies Record<string, FlagHelp>;

/** Flags as they were typed, before their command checks them. */
export type RawFlags = Readonly<Record<string, string | boolean | readonly string[]>>;

/** Splits a command's arguments into words and known flags; values are still texts. */
export function splitArgs(
  name: string,
  own: Readonly<Record<string, FlagHelp>>,
  args: readonly string[],
): { words: string[]; flags: RawFlags } {
  const known: Readonly<Record<string, FlagHelp>> = { ...own, ...COMMON_FLAGS };
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
    if (flag === undefined || !Object.hasOwn(known, token.name)) {
      const names = Object.keys(known).map((each) => `--${each}`);
      const hint = didYouMean(token.rawName, names);
      throw new UsageError(`${name} has no flag ${token.rawName}.${hint}`);
    }
    const value = readValue(token, flag);
    const earlier = flags[token.name];
    flags[token.name] = flag.isList ? [...(Array.isArray(earlier) ? earlier : []), String(value)] : value;
  }
  return { words, flags };
}

type OptionToken = { rawName: string; value: string | undefined; inlineValue: boolean | undefined };

function readValue({ rawName, value, inlineValue }: OptionToken, flag: FlagHelp) {
  if (flag.value === undefined) {
    if (value === undefined) return true;
    throw new UsageError(`${rawName} takes no value, got "${value}".`);
  }
  const isNextFlag = !inlineValue && /^--?[a-z]/i.test(value ?? "");
  if (value !== undefined && !isNextFlag) return value;
  throw new UsageError(`${rawName} needs a value: ${rawName} ${flag.value}.`);
}

const parserOptions = (known: Readonly<Record<string, FlagHelp>>) =>
  Object.fromEntries(
    Object.entries(known).map(([flag, { value, short }]) => [
      flag,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
