import * as z from "zod";
import { EvaluationRecord } from "../domain/evaluation.ts";
import { Json } from "../domain/json.ts";
import { LogEntry, TranscriptStep } from "../domain/run/log-entry.ts";
import { ModelStats } from "../domain/stats/stats.ts";
import { DefinitionSummary } from "../engine/engine.ts";
import { ErrorAnswer, EvaluationView } from "./answers.ts";
import { type Answer, jsonAnswer, type RouteContract } from "./route.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Describes the routes by the very schemas that check what comes and goes. */
export function openApiDocument(routes: readonly RouteContract[]) {
  const paths: Record<string, Record<string, ReturnType<typeof operationOf>>> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  return {
    openapi: "3.1.0",
    info: { title: "Agent Evaluator", version: "1" },
    paths,
    components: {
      schemas: components(),
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
    security: [{ token: [] }],
  };
}

/** What several answers hold is described once. */
const NAMED = {
  EvaluationRecord,
  EvaluationView,
  LogEntry,
  ModelStats,
  TranscriptStep,
  DefinitionSummary,
  ErrorAnswer,
  Json,
} as const;

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
const uri = (id: string) => `#/components/schemas/${id}`;

const components = (): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries(z.toJSONSchema(registry, { uri, io: "output" }).schemas).map(([id, schema]) => [
      id,
      bare(schema),
    ]),
  );

/** The document says which dialect it is in, and where each schema is. */
const bare = ({ $schema: _schema, $id: _id, ...schema }: Schema): Schema => schema;

const failures = (route: RouteContract): Readonly<Record<string, Answer>> => ({
  ...(route.isOpen ? {} : { 401: jsonAnswer("No token, or a wrong one", ErrorAnswer) }),
  403: jsonAnswer("Host or origin not allowed", ErrorAnswer),
  ...(route.params === undefined ? {} : { 404: jsonAnswer("Not found", ErrorAnswer) }),
  ...(route.method === "get" ? {} : WRITE_FAILURES),
  422: jsonAnswer("The request is invalid", ErrorAnswer),
  431: { description: "URL or headers too long", content: {} },
});

const WRITE_FAILURES = {
  404: jsonAnswer("Not found", ErrorAnswer),
  409: jsonAnswer("Not possible in its current state", ErrorAnswer),
  413: jsonAnswer("The body is too large", ErrorAnswer),
  429: jsonAnswer("Too many at once; retry-after says when to try again", ErrorAnswer),
} as const;

function operationOf(route: RouteContract) {
  const answers: Readonly<Record<string, Answer>> = { ...failures(route), ...route.answers };
  return {
    summary: route.summary,
    ...(route.isOpen ? { security: [] } : {}),
    parameters: [
      ...parametersOf("path", route.params),
      ...parametersOf("query", route.query),
      ...parametersOf("header", route.headers),
    ],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: inputSchema(route.body) } },
          },
        }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)]),
    ),
  };
}

function parametersOf(place: "path" | "query" | "header", fields: z.ZodObject | undefined): Schema[] {
  if (fields === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(fields, { io: "input" });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema,
  }));
}

const inputSchema = (schema: z.ZodType): Schema => bare(z.toJSONSchema(schema, { io: "input" }));

const responseOf = ({ description, content }: Answer): Schema => ({
  description,
  content: Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      { schema: schema === null ? { type: "string" } : outputSchema(schema) },
    ]),
  ),
});

/** One registry for a single schema too, so that what is named elsewhere stays a reference. */
function outputSchema(schema: z.ZodType): Schema {
  const named = registry.get(schema)?.id;
  if (named !== undefined) return { $ref: uri(named) };
  const own = z.registry<{ id: string }>();
  for (const [id, each] of Object.entries(NAMED)) own.add(each, { id });
  own.add(schema, { id: OWN });
  return bare(z.toJSONSchema(own, { uri, io: "output" }).schemas[OWN] ?? {});
}

const OWN = "own";
