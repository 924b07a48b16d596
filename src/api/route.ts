import * as z from "zod";
import type { Clock } from "../domain/clock.ts";
import type { Engine } from "../engine/engine.ts";
import type { Store } from "../store/store.ts";
import { RequestError } from "./errors.ts";
import type { OpenApiDocument } from "./open-api.ts";
import { readBody, readInput } from "./read-input.ts";
import type { StatsReader } from "./stats-reader.ts";

export interface Answer {
  readonly description: string;
  /** Content types and what each holds; a null schema is text. */
  readonly content: Readonly<Record<string, z.ZodType | null>>;
}

/** What the outside may know of a route: the app and its OpenAPI document are both made from this. */
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

export interface Input<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
  readonly request: Request;
}

export interface Route {
  readonly contract: RouteContract;
  answer(request: Request, params: Record<string, string>, api: ApiParts): Promise<Response>;
}

type NoFields = z.ZodObject<Record<never, never>>;

/** A route whose input is checked before its handler sees it. */
export const route = <
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = NoFields,
>(
  contract: RouteContract<Params, Query, Body>,
  handle: (input: Input<Params, Query, Body>, api: ApiParts) => Response | Promise<Response>,
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

/** An id that cannot be one belongs to nothing, so it is not found. */
function readParams(schema: z.ZodObject, params: Record<string, string>): unknown {
  const read = schema.safeParse(params);
  if (read.success) return read.data;
  const name = String(read.error.issues[0]?.path[0] ?? "");
  throw new RequestError("request.unknown_route", `there is no such ${name}`, `params.${name}`);
}

/** Given twice, a name is a list, which no schema of ours takes. */
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

/** What the handlers of all routes work with. */
export interface ApiParts {
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly random: () => number;
  readonly stats: StatsReader;
  /** What one answer may hold; null where answers can be streamed without end. */
  readonly maxAnswerBytes: number | null;
  readonly document: () => OpenApiDocument;
}
