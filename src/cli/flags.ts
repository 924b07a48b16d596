import * as z from "zod";
import type { RawFlags } from "./command-table.ts";
import { UsageError } from "./errors.ts";

const DEFAULT_PORT = 4747;

/** A port on this machine; 0 is any that is free. */
export const PortFlag = z
  .string()
  .regex(/^\d{1,5}$/, "a port")
  .transform(Number)
  .refine((port) => port <= 65_535, "a port")
  .default(DEFAULT_PORT);

const path = z.string().min(1, "a file").optional();

/** The files that `run` and `show` can write, each by its own flag. */
export const OutputFlags = { junit: path, jsonl: path, csv: path, summary: path } as const;
export type OutputFlags = z.output<z.ZodObject<typeof OutputFlags>>;

const A_URL = "an address: https://…, or http:// on this machine";

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

/** Read by every command that can look elsewhere. */
export const remoteFlags = { remote: RemoteUrl.optional(), token: z.string().min(1, "a token").optional() };

/** Checks a command's flags; the first one that makes no sense is named with what it expects and what came. */
export function readFlags<Schema extends z.ZodType>(
  command: string,
  schema: Schema,
  raw: RawFlags,
): z.output<Schema> {
  const { help, debug, ...flags } = raw;
  const read = schema.safeParse(flags);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const [flag, at] = issue?.path ?? [];
  const given = flags[String(flag)];
  const value = Array.isArray(given) ? given[Number(at ?? 0)] : given;
  throw new UsageError(`--${String(flag)} expects ${issue?.message}, got ${JSON.stringify(value)}.`, command);
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
