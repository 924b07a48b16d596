import * as z from "zod";

const path = z.string().min(1, "a file").optional();

/** The files that `run` and `show` can write, each by its own flag. */
export const OutputFlags = { junit: path, jsonl: path, csv: path, summary: path } as const;
export type OutputFlags = z.output<z.ZodObject<typeof OutputFlags>>;
