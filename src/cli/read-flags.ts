import * as z from "zod";
import type { RawFlags } from "./command-table.ts";
import { UsageError } from "./usage-error.ts";

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
