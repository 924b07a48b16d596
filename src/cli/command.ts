import * as z from "zod";
import type { FlagHelp, RawFlags } from "./arguments.ts";
import { UsageError } from "./exit.ts";
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
export const defineCommand = <const Known extends Flags>({
  flags,
  notes = [],
  takes: [most, what] = [Number.POSITIVE_INFINITY, ""],
  execute,
}: CommandOptions<Known>): Command => ({
  flags,
  notes,
  async execute(host, words, raw) {
    const values = readFlags(flags, raw);
    if (words.length <= most) return execute(host, words, values);
    throw new UsageError(`${host.command} takes ${what}, got also "${words[most]}".`);
  },
});

/** Checks a command's flags; an error names the first wrong one, what it expects and what it got. */
export function readFlags<Known extends Flags>(known: Known, raw: RawFlags): FlagValues<Known> {
  const { help, debug, ...flags } = raw;
  const checks = Object.fromEntries(Object.entries(known).map(([name, { check }]) => [name, check]));
  const read = z.strictObject(checks).safeParse(flags);
  if (read.success) return read.data as FlagValues<Known>;
  const [issue] = read.error.issues;
  const [flag, at] = issue?.path ?? [];
  const given = flags[String(flag)];
  const value = Array.isArray(given) ? given[Number(at ?? 0)] : given;
  throw new UsageError(`--${String(flag)} expects ${issue?.message}, got ${JSON.stringify(value)}.`);
}

const A_WHOLE_NUMBER = "a whole number, 1 or more";
export const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, A_WHOLE_NUMBER)
  .transform(Number)
  .refine((number) => number >= 1, A_WHOLE_NUMBER);

export const numberBetween = (from: number, to: number, what: string) =>
  z
    .string()
    .regex(/^\d*\.?\d+$/, what)
    .transform(Number)
    .refine((number) => number >= from && number <= to, what);

export const flagSwitch = z.boolean().default(false);

export const someText = (what: string) => z.string().min(1, what);

const A_PORT = "a port";
const outputPath = someText("a file").optional();
const A_URL = "a URL: https://…, or http:// on this machine";

/** A token must not cross a network in the open. */
const mayCarryToken = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" ||
  (protocol === "http:" && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname));

const RemoteUrl = z.string().transform((text, context) => {
  const url = URL.parse(text);
  if (url !== null && mayCarryToken(url)) return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  context.addIssue(A_URL);
  return z.NEVER;
});

/** Flags that several commands have, in groups that go together. */
export const FLAGS = {
  store: {
    store: {
      value: "PATH",
      help: "folder of the store (default .agent-evaluator)",
      check: someText("a folder").optional(),
    },
  },
  document: {
    json: { help: "print only { evaluation, stats, report, logs } as JSON", check: flagSwitch },
  },
  /** Conditions that need nothing but the evaluation itself. */
  gates: {
    "min-accuracy": {
      value: "0.8",
      help: "exit 3 when a model's accuracy is lower",
      check: numberBetween(0, 1, "a number from 0 to 1").optional(),
    },
    "allow-undecided": { help: "exit 0 instead of 5 when a gate cannot tell", check: flagSwitch },
  },
  quiet: { quiet: { help: "print only the final table", check: flagSwitch } },
  /** A port on this machine; 0 is any that is free. */
  port: {
    port: {
      value: "N",
      help: "port on this machine (default 4747)",
      check: z
        .string()
        .regex(/^\d{1,5}$/, A_PORT)
        .transform(Number)
        .refine((port) => port <= 65_535, A_PORT)
        .optional(),
    },
  },
  /** The files that `run` and `show` can write. */
  outputs: {
    junit: { value: "FILE", help: "write the runs as JUnit XML", check: outputPath },
    jsonl: { value: "FILE", help: "write the runs, one JSON object per line", check: outputPath },
    csv: { value: "FILE", help: "write the runs as a table", check: outputPath },
    summary: { value: "FILE", help: "write the summary as Markdown", check: outputPath },
  },
  /** Read by every command that can use an API instead of this machine's store. */
  remote: {
    remote: {
      value: "URL",
      help: "use this API (URL printed by serve or the deploy)",
      check: RemoteUrl.optional(),
    },
    token: {
      value: "TOKEN",
      help: "token of that API (default AGENT_EVALUATOR_TOKEN)",
      check: someText("a token").optional(),
    },
  },
} as const satisfies Readonly<Record<string, Flags>>;

export type OutputFlags = FlagValues<typeof FLAGS.outputs>;
