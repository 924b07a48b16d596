import * as z from "zod";

export const EvaluationId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,127}$/i)
  .brand<"EvaluationId">();
export type EvaluationId = z.infer<typeof EvaluationId>;

export const RunId = z
  .string()
  .regex(/^[0-9a-f]{20}$/)
  .brand<"RunId">();
export type RunId = z.infer<typeof RunId>;

export const ProblemId = z
  .string()
  .regex(/^[^\s#]{1,128}$/, "an id has 1 to 128 characters and no spaces or #")
  .brand<"ProblemId">();
export type ProblemId = z.infer<typeof ProblemId>;

/** Turns a text into lowercase hexadecimal digits (SHA-256); passed in so that these rules also run in a browser. */
export type Digest = (text: string) => string;

/** Sorts by time within a name and is short enough to type: `capitals-mfz3k2a1-7q`. */
export function makeEvaluationId(name: string, nowMs: number, random: () => number): EvaluationId {
  const word =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 40) || "evaluation";
  const salt = Math.floor(random() * 36 ** 4)
    .toString(36)
    .padStart(4, "0");
  return EvaluationId.parse(`${word}-${nowMs.toString(36)}${salt}`);
}
