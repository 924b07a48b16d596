import { connect } from "node:net";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeApi } from "../../src/api/app.ts";
import { EvaluatorError } from "../../src/domain/errors.ts";
import { Redactor } from "../../src/domain/redact.ts";
import { memoryStore } from "../../src/store/memory/memory-store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { storeEvaluation } from "../fixtures/records/a-stored-evaluation.ts";
import { type AnApi, anApi, anEngine, refusal, TOKEN } from "./an-api.ts";

describe("the token", () => {
  test.each([
    ["no header", {}, "request.no_token"],
    ["another scheme", { authorization: `Basic ${TOKEN}` }, "request.no_token"],
    ["an empty token", { authorization: "Bearer " }, "request.no_token"],
    ["a part of it", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }, "request.wrong_token"],
    ["more than it", { authorization: `Bearer ${TOKEN}x` }, "request.wrong_token"],
  ])("is asked for: %s is refused everywhere but at health", async (_what, headers, code) => {
    const { url } = await anApi();
    for (const path of ["/evaluations", "/evaluations/x/logs", "/openapi.json", "/nowhere"]) {
      const response = await fetch(`${url}${path}`, { headers });
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(await refusal(response)).toEqual([401, code, "headers.authorization"]);
    }
    expect((await fetch(`${url}/health`, { headers })).status).toBe(200);
  });

  test("is asked for in words that no rule for secrets takes out", async () => {
    const { url } = await anApi();
    const text = await (await fetch(`${url}/evaluations`)).text();
    expect(text).toContain("send it in the header Authorization, after the word Bearer and a space");
  });

  test("is refused by the API itself when it could be guessed", () => {
    const parts = { store: memoryStore(), engine: anEngine(), clock: systemClock, random: Math.random };
    expect(() => makeApi({ ...parts, token: "secret" })).toThrow("needs at least 16");
  });
});

describe("pages of other sites", () => {
  const ask = (port: string, host: string, more = "") =>
    new Promise<string>((resolve, reject) => {
      let text = "";
      connect(Number(port), "127.0.0.1")
        .setEncoding("utf8")
        .on("data", (piece: string) => {
          text += piece;
        })
        .on("end", () => resolve(text))
        .on("error", reject)
        .end(`GET /health HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`);
    });

  test("are refused, by a name led to this machine or by their origin", async () => {
    const api = await anApi({ hosts: ["localhost:1234"] });
    const { port } = new URL(api.url);
    expect(await ask(port, "localhost:1234")).toContain("200 OK");
    expect(await ask(port, "evil.example:1234")).toContain("request.foreign_host");
    expect(await ask(port, "localhost:1234", "Origin: http://localhost:1234\r\n")).toContain("200 OK");
    const foreign = await ask(port, "localhost:1234", "Origin: https://evil.example\r\n");
    expect(foreign).toContain("HTTP/1.1 403");
    expect(foreign).toContain("request.foreign_origin");
  });

  test("get no permission from a browser unless they are the dashboard", async () => {
    const { url } = await anApi({ origin: "https://dashboard.example" });
    const preflight = async (origin: string) => {
      const headers = { origin, "access-control-request-method": "POST" };
      return (await fetch(`${url}/evaluations`, { method: "OPTIONS", headers })).headers;
    };
    const allowed = await preflight("https://dashboard.example");
    expect(allowed.get("access-control-allow-origin")).toBe("https://dashboard.example");
    expect(allowed.get("access-control-allow-headers")).toContain("authorization");
    expect((await preflight("https://evil.example")).get("access-control-allow-origin")).not.toBe(
      "https://evil.example",
    );
    const refused = await fetch(`${url}/evaluations`, { headers: { origin: "https://dashboard.example" } });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
      401,
      "https://dashboard.example",
    ]);
  });

  test("get no permission at all where there is no dashboard elsewhere", async () => {
    const { url } = await anApi();
    const response = await fetch(`${url}/health`, { headers: { origin: "https://evil.example" } });
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
  });
});

test.each([
  ["/evaluations", "no JSON", "request.invalid", "body"],
  ["/evaluations", [], "request.invalid", "body"],
  ["/evaluations", { evaluation: "x", surprise: 1 }, "request.invalid", "body"],
  ["/evaluations", { evaluation: "x", models: ["none"] }, "request.invalid", "body.models[0]"],
  ["/evaluations", { evaluation: "x", limits: { memoryMb: 1 } }, "request.invalid", "body.limits.memoryMb"],
  ["/evaluations", "[".repeat(100_000), "request.invalid", "body"],
  [
    "/evaluations",
    `{"evaluation":"x","problems":${"[".repeat(900)}${"]".repeat(900)}}`,
    "request.invalid",
    "body",
  ],
  ["/evaluations/capitals-1/cancel", { force: true }, "request.invalid", "body"],
])("POST %s with %j is refused with its place", async (path, body, code, place) => {
  const api = await anApi();
  expect(await refusal(await api.post(path, body))).toEqual([422, code, place]);
});

test.each([
  ["?limit=0", "query.limit"],
  ["?limit=101", "query.limit"],
  ["?limit=5&limit=6", "query.limit"],
  ["?status=happy", "query.status"],
  ["?surprise=1", "query"],
  ["?cursor=nonsense", "query.cursor"],
])("GET /evaluations%s is refused with its place", async (query, place) => {
  const api = await anApi();
  const [status, , path] = await refusal(await api.get(`/evaluations${query}`));
  expect([status, path]).toEqual([422, place]);
});

test.each(["logs", "export", "export?format=csv"])(
  "a cursor that no page gave is refused by %s before the answer begins",
  async (list) => {
    const api = await anApi();
    await storeEvaluation(api.store, { problems: 1 });
    const path = `/evaluations/capitals-1/${list}${list.includes("?") ? "&" : "?"}cursor=x`;
    expect(await refusal(await api.get(path))).toEqual([422, "store.bad_cursor", "query.cursor"]);
  },
);

test("a body that is too large is refused before it is read", async () => {
  const api = await anApi({ maxBodyBytes: 1_000 });
  const body = { evaluation: "x", tags: ["y".repeat(2_000)] };
  expect(await refusal(await api.post("/evaluations", body))).toEqual([413, "request.too_large", "body"]);
});

test.each([
  ["DELETE", "/evaluations", "GET, POST"],
  ["POST", "/evaluations/capitals-1/grid", "GET"],
  ["PUT", "/evaluations/capitals-1/cancel", "POST"],
])("%s %s is refused with the methods that the path has: %s", async (method, path, allow) => {
  const { url } = await anApi();
  const ask = (authorization: string) => fetch(`${url}${path}`, { method, headers: { authorization } });
  const response = await ask(`Bearer ${TOKEN}`);
  expect(response.headers.get("allow")).toBe(allow);
  expect(await refusal(response)).toEqual([405, "request.unknown_method", null]);
  expect((await ask("Bearer nonsense")).status).toBe(401);
});

describe("what goes wrong inside", () => {
  const key = "sk-live-abcdefghijklmnop1234567890";
  const failing = (error: unknown) =>
    anApi({
      engine: anEngine({
        definitions: async () => {
          throw error;
        },
      }),
      redactor: new Redactor([{ name: "OPENAI_API_KEY", value: key }]),
    });

  test("is told without stack, path or key when nobody has explained it", async () => {
    const api = await failing(new TypeError(`cannot read ${key} at /home/me/secret.ts`));
    const response = await api.get("/definitions");
    const text = await response.text();
    expect([response.status, JSON.parse(text).error.code]).toEqual([500, "api.unexpected"]);
    expect(text).not.toMatch(/secret\.ts|sk-live|TypeError|at /);
  });

  test("is told with its message, and without keys, when it is explained", async () => {
    const api = await failing(new EvaluatorError("evaluation.too_many", `busy with ${key}`));
    const response = await api.get("/definitions");
    expect(response.headers.get("retry-after")).toBe("10");
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([429, "evaluation.too_many"]);
    expect(error.message).toBe("busy with [redacted OPENAI_API_KEY]");
  });
});

describe("hostile input", () => {
  /** Whatever comes, an answer is JSON of ours with a status that says whose fault it is. */
  async function isRefusedOrAnswered(api: AnApi, response: Promise<Response>): Promise<void> {
    const { status, headers, body } = await response;
    await body?.cancel();
    expect(status, `${status} of ${api.url}`).toBeLessThan(500);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }

  const segment = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      "..",
      "../../etc/passwd",
      "%2e%2e",
      "a#b",
      "__proto__",
      "constructor",
      "x".repeat(3_000),
      "\0",
    ),
  );

  test("in ids finds nothing", async () => {
    const api = await anApi();
    await storeEvaluation(api.store, { problems: 1 });
    await fc.assert(
      fc.asyncProperty(segment, segment, async (id, run) => {
        const safe = encodeURIComponent(id.toWellFormed());
        await isRefusedOrAnswered(api, api.get(`/evaluations/${safe}`));
        const path = `/evaluations/capitals-1/logs/${encodeURIComponent(run.toWellFormed())}/stdout`;
        expect((await api.get(path)).status).toBe(404);
      }),
      { numRuns: 60 },
    );
  });

  test("in queries is refused or harmless", async () => {
    const api = await anApi();
    await storeEvaluation(api.store, { problems: 1 });
    const names = fc.constantFrom("cursor", "model", "from", "to", "limit", "correct", "cause", "other");
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, segment, { maxKeys: 3 }), async (query) => {
        const text = new URLSearchParams(query).toString();
        await isRefusedOrAnswered(api, api.get(`/evaluations/capitals-1/logs?${text}`));
        await isRefusedOrAnswered(api, api.get(`/evaluations/capitals-1/grid?${text}`));
      }),
      { numRuns: 60 },
    );
  });

  test("in bodies starts nothing", async () => {
    const started: unknown[] = [];
    const engine = anEngine({
      start: async (request) => {
        started.push(request);
        throw new EvaluatorError("definition.unknown", "none");
      },
    });
    const api = await anApi({ engine });
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 6 }), async (body) => {
        const response = await api.post("/evaluations", body);
        expect([404, 422]).toContain(response.status);
        await response.body?.cancel();
      }),
      { numRuns: 100 },
    );
    expect(started).toEqual([]);
  });
});
