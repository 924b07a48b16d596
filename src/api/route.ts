import * as z from "zod";
import type { Clock } from "../domain/clock.ts";
import { type ErrorCode, EvaluatorError } from "../domain/errors.ts";
import type { EvaluationRecord } from "../domain/evaluation.ts";
import { EvaluationId } from "../domain/ids.ts";
import { parseJson, toStored } from "../domain/json.ts";
import type { Engine } from "../engine/engine.ts";
import type { Store } from "../store/store.ts";
import type { StatsReader } from "./stats-reader.ts";

export interface Answer {
  readonly description: string;
  /** Content types and what each holds; a null schema is text. */
  readonly content: Readonly<Record<string, z.ZodType | null>>;
}

/** The public description of a route: the app and its OpenAPI document are both made from this. */
export interface RouteContract<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  readonly method: "get" | "post";
  /** With places as `{id}`. */
  readonly path: string;
  readonly summary: string;
  /** Needs no token. */
  readonly isOpen?: true;
  readonly params?: Params;
  readonly query?: Query;
  readonly headers?: z.ZodObject;
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Answer>>;
}

interface Input<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  readonly request: Request;
}

export interface Route {
  readonly contract: RouteContract;
  answer(request: Request, params: Record<string, string>, api: ApiDeps): Promise<Response>;
}

type NoFields = z.ZodObject<Record<never, never>>;

/** Makes a route whose input is checked before its handler sees it. */
export const route = <
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = NoFields,
>(
  contract: RouteContract<Params, Query, Body>,
  handle: (input: Input<Params, Query, Body>, api: ApiDeps) => Response | Promise<Response>,
): Route => ({
  contract,
  async answer(request, params, api) {
    const input = {
      params: readParams(contract.params ?? NOTHING, params),
      query: readInput("query", contract.query ?? NOTHING, readQuery(request)),
      body:
        contract.method === "get" ? {} : readInput("body", contract.body ?? NOTHING, await readBody(request)),
    };
    return handle({ ...(input as Omit<Input<Params, Query, Body>, "request">), request }, api);
  },
});

const NOTHING = z.strictObject({});

/** A request that cannot be answered as it is; `path` names the place in it. */
export class RequestError extends EvaluatorError {
  readonly path: string | null;

  constructor(code: ErrorCode, message: string, path: string | null = null) {
    super(code, message);
    this.path = path;
  }
}

/** An id that cannot be one belongs to nothing, so it is not found. */
function readParams(schema: z.ZodObject, params: Record<string, string>): unknown {
  const read = schema.safeParse(params);
  if (read.success) return read.data;
  const name = String(read.error.issues[0]?.path[0] ?? "");
  throw new RequestError("request.unknown_route", `there is no such ${name}`, `params.${name}`);
}

/** Given twice, a name is a list, which no schema here takes. */
function readQuery(request: Request): Record<string, string | string[]> {
  const { searchParams } = new URL(request.url);
  const names = [...new Set(searchParams.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const [first = "", ...more] = searchParams.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}

export const jsonAnswer = (description: string, schema: z.ZodType): Answer => ({
  description,
  content: { "application/json": schema },
});

/** The services that the handlers of all routes work with. */
export interface ApiDeps {
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly random: () => number;
  readonly stats: StatsReader;
  /** What one answer may hold; null where answers can be streamed without end. */
  readonly maxAnswerBytes: number | null;
}

type Place = "params" | "query" | "headers" | "body";

/** Reads one part of a request, or refuses and names the first thing wrong with it. */
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
  if (issue?.code !== "unrecognized_keys") return issue?.message ?? "not what was expected";
  return `unknown: ${issue.keys.map((key) => JSON.stringify(key.slice(0, 100))).join(", ")}`;
}

const pathOf = (place: Place, issue: z.core.$ZodIssue | undefined): string =>
  (issue?.path ?? []).reduce<string>(
    (path, key) => (typeof key === "number" ? `${path}[${key}]` : `${path}.${String(key).slice(0, 100)}`),
    place,
  );

/** Reads the body as JSON; no body at all is an empty object. */
async function readBody(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text.trim() === "") return {};
  const value = parseJson(text);
  if (value === undefined) throw new RequestError("request.invalid", "the body is not JSON", "body");
  // Far below what runs out of stack while it is checked or stored.
  const stored = toStored(value, "body");
  if (stored.kind === "json") return value;
  throw new RequestError("request.invalid", stored.why, "body");
}

/** Query fields of a list that is read page by page. */
export const pageQuery = (most: number, usual: number) => ({
  /** `next` of the page before. */
  cursor: z.string().min(1).max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(most).default(usual),
});

export const yesOrNo = z.enum(["true", "false"]).transform((text) => text === "true");

/** The path of a route about one evaluation. */
export const EvaluationPath = z.object({ id: EvaluationId });

/** Finds an evaluation, or refuses with `evaluation.unknown`. */
export async function knownEvaluation(store: Store, id: EvaluationId): Promise<EvaluationRecord> {
  const record = await store.findEvaluation(id);
  if (record !== null) return record;
  throw new EvaluatorError("evaluation.unknown", `there is no evaluation ${id}`);
}
