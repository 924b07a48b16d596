import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import type { Clock } from "../domain/clock.ts";
import { Redactor } from "../domain/redact.ts";
import type { Engine } from "../engine/contract.ts";
import type { Store } from "../store/contract.ts";
import { answerError } from "./answer-error.ts";
import type { ApiParts } from "./api-parts.ts";
import { type Assets, isVisit, serveAssets } from "./assets.ts";
import { tokenCheck } from "./bearer-token.ts";
import { hostCheck } from "./host-check.ts";
import { openApiDocument } from "./open-api.ts";
import { RequestError } from "./request-error.ts";
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
  const parts: ApiParts = {
    store,
    engine,
    clock,
    random,
    stats: new StatsReader(store, engine, clock),
    maxAnswerBytes: options.maxAnswerBytes ?? null,
    document: () => openApiDocument(ROUTES.map(({ contract }) => contract)),
  };
  refuseStrangers(app, options);
  const checkToken = tokenCheck(options.token);
  for (const { contract, answer } of ROUTES) {
    app.on(contract.method.toUpperCase(), toHonoPath(contract.path), async ({ req }) => {
      if (!contract.isOpen) checkToken(req.raw);
      return answer(req.raw, req.param() as Record<string, string>, parts);
    });
  }
  answerTheRest(app, options, checkToken);
  return app;
}

const toHonoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

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
        throw new RequestError("request.too_large", `a body may have ${maxBodyBytes} bytes`, "body");
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
