import { onTestFinished } from "vitest";
import * as z from "zod";
import { type ApiOptions, makeApi } from "../../src/api/app.ts";
import { listen } from "../../src/cli/dashboard/serve-folder.ts";
import { EvaluatorError } from "../../src/domain/errors.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { aFolder } from "../fixtures/files/a-folder.ts";

export const TOKEN = "a-token-that-nobody-can-guess";

export interface AnApi {
  readonly store: Store;
  readonly url: string;
  /** With the token, unless the headers say otherwise. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** An engine that refuses everything; tests change what they are about. */
export const anEngine = (changes: Partial<Engine> = {}): Engine => ({
  definitions: async () => [],
  start: refuse,
  cancel: refuse,
  retry: refuse,
  grow: refuse,
  check: refuse,
  ...changes,
});

const refuse = async (): Promise<never> => {
  throw new EvaluatorError("definition.unknown", "there is no definition here");
};

/** The API over a real SQLite store, on a real port of this machine. */
export async function anApi(
  options: Partial<ApiOptions> | ((store: Store) => Partial<ApiOptions>) = {},
): Promise<AnApi> {
  const store = await openSqliteStore(aFolder());
  const given = typeof options === "function" ? options(store) : options;
  const defaults = { store, engine: anEngine(), token: TOKEN, clock: systemClock, random: Math.random };
  const app = makeApi({ ...defaults, ...given });
  const listening = await listen(0, () => app.fetch);
  onTestFinished(async () => {
    await listening[Symbol.asyncDispose]();
    await store.close();
  });
  const url = `http://127.0.0.1:${listening.port}`;
  const bearer = { authorization: `Bearer ${TOKEN}` };
  return {
    store,
    url,
    get: (path, headers) => fetch(`${url}${path}`, { headers: { ...bearer, ...headers } }),
    post: (path, body, headers) =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { ...bearer, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
  };
}

const Refusal = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string().min(1), path: z.string().nullable() }),
});

/** Status, code and place of an answer that must be a refusal and nothing else. */
export async function refusal(
  response: Response,
): Promise<[status: number, code: string, path: string | null]> {
  const { error } = Refusal.parse(await response.json());
  return [response.status, error.code, error.path];
}
