import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { makeApi } from "../../api/app.ts";
import { Redactor } from "../../domain/redact.ts";
import { plural } from "../../domain/show/format-count.ts";
import { systemClock } from "../../engine/system-clock.ts";
import { webFolder } from "../../own-files.ts";
import { knownSecrets } from "../../providers/known-secrets.ts";
import type { Store } from "../../store/contract.ts";
import type { Execute } from "../command-table.ts";
import { readEnvFile } from "../env-file.ts";
import { findEvalFiles } from "../eval-files.ts";
import { EXIT } from "../exit-code.ts";
import type { Host } from "../host.ts";
import { listenForStop } from "../interruption.ts";
import { openStore } from "../open-store.ts";
import { readFlags } from "../read-flags.ts";
import { warningLine } from "../report/live-reporter.ts";
import { reportError } from "../report-error.ts";
import { printLines, printWhole } from "../screen.ts";
import { DefinitionLibrary } from "../serve/definition-library.ts";
import { folderAssets } from "../serve/folder-assets.ts";
import { listen } from "../serve/listen.ts";
import { LocalEngine } from "../serve/local-engine.ts";
import type { Line } from "../text/line.ts";

const DEFAULT_PORT = 4747;
const DEFAULT_FOLDER = "evals";

export const ServeFlags = z.strictObject({
  port: z
    .string()
    .regex(/^\d{1,5}$/, "a port")
    .transform(Number)
    .refine((port) => port <= 65_535, "a port")
    .default(DEFAULT_PORT),
  store: z.string().min(1, "a folder").optional(),
});

/** The HTTP API over this folder's evaluations and store, until Ctrl-C. */
export const execute: Execute = async (host, words, raw) => {
  const flags = readFlags("serve", ServeFlags, raw);
  await readEnvFile(host.cwd, host.process.env);
  using interruption = listenForStop(host.process, () => printLines(host.stdout, [STOPPING]));
  const files = words.length === 0 && existsSync(join(host.cwd, DEFAULT_FOLDER)) ? [DEFAULT_FOLDER] : words;
  await findEvalFiles(files, host.cwd);
  const store = await openStore(host, flags.store);
  const engine = makeEngine(host, store, files);
  try {
    await serveUntil(interruption.signal, { host, store, engine, port: flags.port });
    const wasIdle = engine.running === 0;
    await engine.close();
    // Nothing was running: leaving is the normal end of serving.
    return wasIdle ? EXIT.done : (interruption.exitCode() ?? EXIT.done);
  } finally {
    await store.close();
  }
};

const STOPPING = [["Stopping; ", "yellow"], ["finished runs are kept."]] as const satisfies Line;

function makeEngine(host: Host, store: Store, files: readonly string[]): LocalEngine {
  const warn = (message: string) => printLines(host.stderr, [warningLine(message)]);
  const library = new DefinitionLibrary({
    findFiles: () => findEvalFiles(files, host.cwd),
    cwd: host.cwd,
    nowMs: host.nowMs,
    onBroken: (file, error) => warn(`${file}: ${error instanceof Error ? error.message : error}`),
  });
  return new LocalEngine({
    store,
    library,
    now: () => new Date(),
    onWarning: warn,
    onBroken: (error) => reportError(error, host),
  });
}

interface Served {
  readonly host: Host;
  readonly store: Store;
  readonly engine: LocalEngine;
  readonly port: number;
}

async function serveUntil(signal: AbortSignal, { host, store, engine, port }: Served): Promise<void> {
  const token = host.env.AGENT_EVALUATOR_TOKEN || randomBytes(24).toString("base64url");
  const web = webFolder();
  const secrets = [...knownSecrets(host.env, []).all, { name: "AGENT_EVALUATOR_TOKEN", value: token }];
  await using listening = await listen(port, (given) => {
    const app = makeApi({
      store,
      engine,
      token,
      clock: systemClock,
      random: Math.random,
      redactor: new Redactor(secrets),
      hosts: [`127.0.0.1:${given}`, `localhost:${given}`],
      ...(existsSync(web) ? { assets: folderAssets(web) } : {}),
      onUnexpected: (error) => reportError(error, host),
    });
    return app.fetch;
  });
  const definitions = await engine.definitions();
  printWhole(host.stdout, greeting(`http://127.0.0.1:${listening.port}`, token, definitions.length));
  if (!signal.aborted) await once(signal, "abort");
}

const greeting = (url: string, token: string, count: number): Line[] => [
  [["✓ ", "green"], [`${plural(count, "evaluation")} served at `], [url, "cyan"]],
  [["  token "], [token, "bold"]],
  [
    ["  try   ", "dim"],
    [`curl -H "Authorization: Bearer ${token}" ${url}/definitions`, "cyan"],
  ],
  [["  Ctrl-C ends.", "dim"]],
];
