import { createHash, timingSafeEqual } from "node:crypto";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import type { Clock } from "../domain/clock.ts";
import { ERROR_STATUS, type ErrorCode, EvaluatorError, isEvaluatorError } from "../domain/errors.ts";
import { Redactor } from "../domain/redact.ts";
import type { Engine } from "../engine/engine.ts";
import type { Store } from "../store/store.ts";
import type { ErrorAnswer } from "./answers.ts";
import { type Assets, isVisit, serveAssets } from "./assets.ts";
import { type ApiDeps, RequestError } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { StatsReader } from "./stats-reader.ts";

/** Inline problems and all; API Gateway and Lambda take a little more. */
const MAX_BODY_BYTES = 5 * 1024 * 1024;

export interface ApiOptions {
  readonly store: Store;
  readonly engine: Engine;
  /** What every request but those for health and files must bring. */
  readonly token: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Knows the keys that no answer may hold. */
  readonly redactor?: Redactor;
  /** Where the dashboard lives, if not here: the only other origin whose pages may use this API. */
  readonly origin?: string;
  /** `host:port` names that a request may come for; any without this. */
  readonly hosts?: readonly string[];
  readonly maxBodyBytes?: number;
  /** What one answer may hold, where answers cannot be streamed. */
  readonly maxAnswerBytes?: number;
  /** The dashboard's files, to be served at `/`. */
  readonly assets?: Assets;
  /** Hears of what no client is told. */
  readonly onUnexpected?: (error: unknown) => void;
}

/** The HTTP API: the same app on a laptop and behind API Gateway. */
export function makeApi(options: ApiOptions): Hono {
  const { store, engine, clock, random } = options;
  const app = new Hono();
  const deps: ApiDeps = {
    store,
    engine,
    clock,
    random,
    stats: new StatsReader(store, engine, clock),
    maxAnswerBytes: options.maxAnswerBytes ?? null,
  };
  refuseStrangers(app, options);
  const checkToken = tokenCheck(options.token);
  for (const { contract, answer } of ROUTES) {
    app.on(contract.method.toUpperCase(), toHonoPath(contract.path), async ({ req }) => {
      if (!contract.isOpen) checkToken(req.raw);
      return answer(req.raw, req.param() as Record<string, string>, deps);
    });
  }
  refuseOtherMethods(app, checkToken);
  answerTheRest(app, options, checkToken);
  return app;
}

const toHonoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

function refuseOtherMethods(app: Hono, checkToken: (request: Request) => void): void {
  const paths = Map.groupBy(ROUTES, ({ contract }) => contract.path);
  for (const [path, routes] of paths) {
    const methods = routes.map(({ contract }) => contract.method.toUpperCase());
    const allow = methods.sort().join(", ");
    app.all(toHonoPath(path), ({ req }) => {
      checkToken(req.raw);
      const message = `${req.path} does not support ${req.method}, only ${allow}`;
      return answer(405, { code: "request.unknown_method", message, path: null }, { allow });
    });
  }
}

function refuseStrangers(app: Hono, options: ApiOptions): void {
  const { origin, hosts, assets, maxBodyBytes = MAX_BODY_BYTES } = options;
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(SAFE_HEADERS)) {
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    }
  });
  if (hosts !== undefined) {
    const check = hostCheck(hosts);
    app.use(async ({ req }, next) => {
      check(req.raw);
      await next();
    });
  }
  if (origin !== undefined) app.use(cors({ origin, ...CORS }));
  if (assets !== undefined) {
    // The dashboard's pages and the API's routes share names; only the API is asked with a token.
    app.use(async ({ req }, next) =>
      isVisit(req.raw) ? ((await serveAssets(assets, req.raw)) ?? next()) : next(),
    );
  }
  app.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => {
        throw new RequestError("request.too_large", `a body may have at most ${maxBodyBytes} bytes`, "body");
      },
    }),
  );
}

const SAFE_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const;

const CORS = {
  allowMethods: ["GET", "POST"],
  allowHeaders: ["authorization", "content-type", "idempotency-key", "range"],
  exposeHeaders: ["content-range", "next-cursor", "retry-after"],
  maxAge: 600,
};

function answerTheRest(app: Hono, options: ApiOptions, checkToken: (request: Request) => void): void {
  const redactor = options.redactor ?? new Redactor([{ name: "token", value: options.token }]);
  const { assets } = options;
  app.notFound(async ({ req }) => {
    const file = assets === undefined || req.method !== "GET" ? null : await serveAssets(assets, req.raw);
    if (file !== null) return file;
    // Without the token nobody learns which paths there are.
    checkToken(req.raw);
    throw new RequestError("request.unknown_route", `${req.method} ${req.path} is not part of this API`);
  });
  app.onError((error) => {
    const answer = answerError(error, redactor);
    if (answer.status >= 500) options.onUnexpected?.(error);
    return answer;
  });
}

/** Says what went wrong; of an unexpected error only that there was one. */
function answerError(error: unknown, redactor: Redactor): Response {
  if (!isEvaluatorError(error)) return answer(500, UNEXPLAINED);
  const path = error instanceof RequestError ? error.path : (PATHS[error.code] ?? null);
  const shown = { code: error.code, message: redactor.text(error.message), path };
  return answer(ERROR_STATUS[error.code], shown);
}

const UNEXPLAINED = {
  code: "api.unexpected",
  message: "Something unexpected happened; see the log of this API",
  path: null,
} as const;

/** The place in the request that an error of the engine or the store is about. */
const PATHS: Readonly<Partial<Record<ErrorCode, string>>> = {
  "store.bad_cursor": "query.cursor",
  "problem.unknown": "body.problemIds",
  "problem.holds_key": "body.problems",
  "tag.holds_key": "body.tags",
  "provider.unknown": "body.models",
  "provider.key_missing": "body.models",
  "provider.not_deployed": "body.models",
  "definition.unknown": "body.evaluation",
};

function answer(
  status: number,
  error: ErrorAnswer["error"],
  headers: Record<string, string> = EXTRA_HEADERS[status] ?? {},
): Response {
  return Response.json({ error } satisfies ErrorAnswer, { status, headers });
}

const EXTRA_HEADERS: Readonly<Record<number, Record<string, string>>> = {
  401: { "www-authenticate": "Bearer" },
  429: { "retry-after": "10" },
  503: { "retry-after": "2" },
};

/**
 * Refuses requests that a page of another site had a browser send: a name that was led to this machine
 * (DNS rebinding) arrives with a foreign Host, a page's own request with a foreign Origin.
 */
function hostCheck(hosts: readonly string[]): (request: Request) => void {
  const origins = new Set(hosts.map((host) => `http://${host}`));
  return (request) => {
    const host = request.headers.get("host") ?? new URL(request.url).host;
    if (!hosts.includes(host)) {
      throw new RequestError(
        "request.foreign_host",
        `this API only answers to the host ${hosts.join(" or ")}`,
        "headers.host",
      );
    }
    const origin = request.headers.get("origin");
    if (origin === null || origins.has(origin)) return;
    throw new RequestError(
      "request.foreign_origin",
      "pages of other sites may not use this API",
      "headers.origin",
    );
  };
}

const SHORTEST_TOKEN = 16;

/** Refuses every request that does not bring the token; how long that takes says nothing about the token. */
function tokenCheck(token: string): (request: Request) => void {
  if (token.length < SHORTEST_TOKEN) {
    throw new EvaluatorError(
      "api.weak_token",
      `the API's token has ${token.length} characters; it needs at least ${SHORTEST_TOKEN} that nobody can guess`,
    );
  }
  const expected = digest(token);
  return ({ headers }) => {
    const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
    if (given === undefined) {
      throw new RequestError(
        "request.no_token",
        "this API requires its token: send it in the header Authorization, after the word Bearer and a space",
        "headers.authorization",
      );
    }
    if (!timingSafeEqual(digest(given), expected)) {
      throw new RequestError(
        "request.wrong_token",
        "the token is not the one of this API",
        "headers.authorization",
      );
    }
  };
}

/** Two digests are equally long, which is what the comparison asks for. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
