import type * as z from "zod";
import { toStored } from "../domain/json.ts";
import { parseJson } from "../domain/parse-json.ts";
import { RequestError } from "./request-error.ts";

type Place = "params" | "query" | "headers" | "body";

/** What a request says at one place, or a refusal that names the first thing wrong with it. */
export function readInput<Schema extends z.ZodType>(
  place: Place,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new RequestError("request.invalid", messageOf(issue), pathOf(place, issue));
}

function messageOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code !== "unrecognized_keys") return issue?.message ?? "this is not what is expected";
  return `unknown: ${issue.keys.map((key) => JSON.stringify(key.slice(0, 100))).join(", ")}`;
}

const pathOf = (place: Place, issue: z.core.$ZodIssue | undefined): string =>
  (issue?.path ?? []).reduce<string>(
    (path, key) => (typeof key === "number" ? `${path}[${key}]` : `${path}.${String(key).slice(0, 100)}`),
    place,
  );

/** The body as JSON; no body at all is an empty object. */
export async function readBody(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text.trim() === "") return {};
  const value = parseJson(text);
  if (value === undefined) throw new RequestError("request.invalid", "the body is not JSON", "body");
  // Far below what runs out of stack while it is checked or stored.
  const stored = toStored(value, "body");
  if (stored.kind === "json") return value;
  throw new RequestError("request.invalid", stored.why, "body");
}
