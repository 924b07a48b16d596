import { Validator } from "@cfworker/json-schema";
import { expect, test } from "vitest";
import { makeApi } from "../../src/api/app.ts";
import { openApiDocument } from "../../src/api/open-api.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { storeEvaluation } from "../fixtures/records/a-stored-evaluation.ts";
import { anApi, anEngine, TOKEN } from "./an-api.ts";

const DOCUMENT = openApiDocument(ROUTES.map(({ contract }) => contract));

test("the document names every route of the app, and no other", () => {
  const app = makeApi({
    store: memoryStore(),
    engine: anEngine(),
    token: TOKEN,
    clock: systemClock,
    random: Math.random,
  });
  const served = app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  const documented = Object.entries(DOCUMENT.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(served.sort()).toEqual(documented.sort());
  expect(served).toHaveLength(17);
});

test("every reference in the document leads somewhere", () => {
  const references = JSON.stringify(DOCUMENT).matchAll(/"\$ref":"([^"]+)"/g);
  const known = Object.keys(DOCUMENT.components.schemas as object).map((id) => `#/components/schemas/${id}`);
  expect(known).toEqual(expect.arrayContaining([...new Set([...references].map(([, to]) => to))]));
});

test("every place in a path is a parameter", () => {
  for (const [path, operations] of Object.entries(DOCUMENT.paths)) {
    const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters } of Object.values(operations)) {
      const named = parameters.filter((each) => each.in === "path").map((each) => each.name);
      expect(named).toEqual(places);
    }
  }
});

test("answers are as the document says", async () => {
  const api = await anApi();
  const { runs } = await storeEvaluation(api.store);
  const values = { id: "capitals-1", runId: runs[0]?.runId ?? "", part: "transcript", name: "capitals" };
  const answered: string[] = [];
  for (const [path, { get }] of Object.entries(DOCUMENT.paths)) {
    if (get === undefined) continue;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof values) => values[name]);
    const response = await api.get(filled);
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const { content } = get.responses[response.status] as unknown as Content;
    const schema = content[type]?.schema;
    expect([path, response.status, typeof schema]).toEqual([path, 200, "object"]);
    const [line = ""] =
      type === "application/jsonl" ? (await response.text()).split("\n") : [await response.text()];
    // The schemas are read with the components beside them, as readers of the document do.
    const validator = new Validator({ ...schema, components: DOCUMENT.components }, "2020-12");
    expect([path, validator.validate(JSON.parse(line)).errors]).toEqual([path, []]);
    answered.push(path);
  }
  expect(answered).toHaveLength(12);
});

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

test("what the schemas of the code refuse, those of the document refuse too", () => {
  const both = { problemIds: ["p"], problems: ["one"] };
  for (const [path, body] of [
    ["/evaluations", { evaluation: "x" }],
    ["/evaluations/{id}/grow", {}],
  ] as const) {
    const taken = DOCUMENT.paths[path]?.post?.requestBody as unknown as Content | undefined;
    const validator = new Validator(taken?.content["application/json"]?.schema ?? {}, "2020-12");
    expect([path, validator.validate(body).valid]).toEqual([path, true]);
    expect([path, validator.validate({ ...body, ...both }).valid]).toEqual([path, false]);
  }
});

test("an address that the server does not read at all is refused as the document says", async () => {
  const api = await anApi();
  const { status, headers } = await api.get(`/evaluations?cursor=${"x".repeat(20_000)}`);
  const answer = DOCUMENT.paths["/evaluations"]?.get?.responses[status] as unknown as Content;
  expect([status, headers.get("content-type"), answer.content]).toEqual([431, null, {}]);
});

test("a refusal is as the document says", async () => {
  const api = await anApi();
  const response = await api.get("/evaluations?limit=none");
  const answer = DOCUMENT.paths["/evaluations"]?.get?.responses[response.status] as unknown as Content;
  const schema = { ...answer.content["application/json"]?.schema, components: DOCUMENT.components };
  const validator = new Validator(schema, "2020-12");
  expect(validator.validate(await response.json()).errors).toEqual([]);
  expect(validator.validate({ error: "no" }).valid).toBe(false);
});
