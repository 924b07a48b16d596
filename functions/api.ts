import { handle } from "hono/aws-lambda";
import { Resource } from "sst/resource";
import { makeApi } from "../src/api/app.ts";
import { deployedEngine, deployedStore, neededSecret } from "../src/deploy/parts.ts";
import { API_TOKEN_SECRET, ApiSettings } from "../src/domain/cloud/settings.ts";
import { systemClock } from "../src/system/clock.ts";

/** Lambda answers with at most 6 MB, and a text takes more room in JSON than it has. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const settings = ApiSettings.parse(process.env);
const store = deployedStore(settings);
const app = makeApi({
  store,
  engine: deployedEngine(store, settings),
  token: neededSecret(API_TOKEN_SECRET, { ...Resource }),
  clock: systemClock,
  random: Math.random,
  origin: settings.DASHBOARD_ORIGIN,
  maxAnswerBytes: MAX_ANSWER_BYTES,
  onUnexpected: (error) => console.error(error),
});

export const handler = handle(app);
