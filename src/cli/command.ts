import * as z from "zod";
import type { FlagHelp, RawFlags } from "./arguments.ts";
import { UsageError } from "./errors.ts";
import type { CliHost } from "./host.ts";

/** A flag with the check that reads its value: all that there is to say about it. */
export interface Flag extends FlagHelp {
  readonly check: z.ZodType;
}

export type Flags = Readonly<Record<string, Flag>>;

/** The values of checked flags. */
export type FlagValues<Known extends Flags> = z.output<
  z.ZodObject<{ [Name in keyof Known]: Known[Name]["check"] }>
>;

export interface Command {
  readonly flags: Flags;
  /** Paragraphs below the flags in the help. */
  readonly notes: readonly string[];
  /** Does what the words and flags say and returns the exit code. */
  execute(host: CliHost, words: readonly string[], flags: RawFlags): Promise<number>;
}

interface CommandOptions<Known extends Flags> {
  readonly flags: Known;
  readonly notes?: readonly string[];
  /** The most words that it takes, and what they are; without this any number. */
  readonly takes?: readonly [most: number, what: string];
  execute(host: CliHost, words: readonly string[], flags: FlagValues<Known>): Promise<number>;
}

/** Makes a command whose words are counted and whose flags are checked before it is executed. */
export const defineCommand = <const Known extends Flags>(
  name: string,
  { flags, notes = [], takes: [most, what] = [Number.POSITIVE_INFINITY, ""], execute }: CommandOptions<Known>,
): Command => ({
  flags,
  notes,
  async execute(host, words, raw) {
    const values = readFlags(name, flags, raw);
    if (words.length <= most) return execute(host, words, values);
    throw new UsageError(`${name} takes ${what}, got also "${words[most]}".`, name);
  },
});

/** Checks a command's flags; an error names the first wrong one, what it expects and what it got. */
export function readFlags<Known extends Flags>(
  command: string,
  known: Known,
  raw: RawFlags,
): FlagValues<Known> {
  const { help, debug, ...flags } = raw;
  const checks = Object.fromEntries(Object.entries(known).map(([name, { check }]) => [name, check]));
  const read = z.strictObject(checks).safeParse(flags);
  if (read.success) return read.data as FlagValues<Known>;
  const [issue] = read.error.issues;
  const [flag, at] = issue?.path ?? [];
  const given = flags[String(flag)];
  const value = Array.isArray(given) ? given[Number(at ?? 0)] : given;
  throw new UsageError(`--${String(flag)} expects ${issue?.message}, got ${JSON.stringify(value)}.`, command);
}
