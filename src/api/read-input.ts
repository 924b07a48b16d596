import * as z from "zod";
import { parseJson, toStored } from "../domain/json.ts";
import { RequestError } from "./errors.ts";

/** The fields by which a list is read page by page. */
export const pageQuery = (most: number, usual: number) => ({
  /** `next` of the page before. */
  cursor: z.string().min(1).max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(most).default(usual),
});

export const pageRequest = ({ cursor, limit }: { cursor?: string | undefined; limit: number }) => ({
  limit,
  ...(cursor === undefined ? {} : { cursor }),
});

export const yesOrNo = z.enum(["true", "false"]).transform((text) => text === "true");

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** A filter that has only what was asked for. */
export const givenOnly = <Fields extends object>(fields: Fields): Partial<Given<Fields>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<
    Given<Fields>
  >;

/** Stands for one request, however often it is sent. */
const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,200}$/, "1 to 200 visible ASCII characters");

export const KeyHeaders = z.object({ "idempotency-key": IdempotencyKey.optional() });

export function readKey({ headers }: Request): string | undefined {
  const given = { "idempotency-key": headers.get("idempotency-key") ?? undefined };
  return readInput("headers", KeyHeaders, given)["idempotency-key"];
}

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
