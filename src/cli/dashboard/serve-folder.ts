import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { makeApi } from "../../api/app.ts";
import type { Assets } from "../../api/assets.ts";
import { Redactor } from "../../domain/redact.ts";
import { LocalEngine } from "../../local/local-engine.ts";
import { knownSecrets } from "../../providers/secrets.ts";
import type { Store } from "../../store/store.ts";
import { systemClock } from "../../system/clock.ts";
import { EXIT, listenForStop, reportError, UsageError } from "../exit.ts";
import { evalFilesIn, findEvalFiles } from "../files.ts";
import type { CliHost } from "../host.ts";
import { warningLine } from "../reporters/progress.ts";
import { escapeLines, type Line, printLines, printWhole } from "../text/screen.ts";

interface ServeOptions {
  readonly store: Store;
  /** Absolute paths of the evaluation files that there are now. */
  readonly findFiles: () => Promise<readonly string[]>;
  /** Without one, the usual port, or the next that is free where `mayMove`. */
  readonly port: number | undefined;
  readonly mayMove?: boolean;
  /** The dashboard. */
  readonly assets: Assets;
  readonly onListening: (server: ServerInfo) => Promise<void> | void;
}

interface ServerInfo {
  readonly url: string;
  readonly token: string;
  /** The number of definitions that can be started. */
  readonly definitions: number;
}

/** Serves evaluations and their results over HTTP, until Ctrl-C; returns the exit code. */
export async function serveFolder(host: CliHost, options: ServeOptions): Promise<number> {
  using interruption = listenForStop(host.process, () => printLines(host.stdout, [STOPPING]));
  const { store, findFiles } = options;
  const engine = new LocalEngine({
    store,
    findFiles,
    cwd: host.cwd,
    nowMs: host.nowMs,
    now: () => new Date(),
    onUnreadable: (file, error) => printWhole(host.stderr, brokenLines(file, error)),
    onWarning: (message) => printLines(host.stderr, [warningLine(message)]),
    onBroken: (error) => reportError(error, host),
  });
  await serveUntil(interruption.signal, host, engine, options);
  const wasIdle = engine.running === 0;
  await engine.close();
  // Nothing was running: leaving is the normal end of serving.
  return wasIdle ? EXIT.done : (interruption.exitCode() ?? EXIT.done);
}

const STOPPING = [["Stopping; ", "yellow"], ["finished runs are kept."]] as const satisfies Line;

/** Most messages begin with their file; any other gets its name in front. */
function brokenLines(file: string, error: unknown): Line[] {
  const message = error instanceof Error ? error.message : String(error);
  const [first = "", ...rest] = escapeLines(message.startsWith(file) ? message : `${file}: ${message}`);
  return [warningLine(first), ...rest.map((line): Line => [[line]])];
}

async function serveUntil(
  signal: AbortSignal,
  host: CliHost,
  engine: LocalEngine,
  { store, port, mayMove = false, assets, onListening }: ServeOptions,
): Promise<void> {
  const token = host.env.AGENT_EVALUATOR_TOKEN || randomBytes(24).toString("base64url");
  const secrets = [...knownSecrets(host.env, []).all, { name: "AGENT_EVALUATOR_TOKEN", value: token }];
  const isFree = mayMove && port === undefined;
  await using listening = await listenFrom(port ?? USUAL_PORT, isFree ? PORTS_TRIED : 1, (given) => {
    const app = makeApi({
      store,
      engine,
      token,
      clock: systemClock,
      random: Math.random,
      redactor: new Redactor(secrets),
      hosts: [`127.0.0.1:${given}`, `localhost:${given}`],
      assets,
      onUnexpected: (error) => reportError(error, host),
    });
    return app.fetch;
  });
  const definitions = (await engine.definitions()).length;
  await onListening({ url: `http://127.0.0.1:${listening.port}`, token, definitions });
  if (!signal.aborted) await once(signal, "abort");
}

const DEFAULT_FOLDER = "evals";

/** Returns a search for the files that the words name, or else those of the folder evals, as they are at each call. */
export const definitionFiles =
  ({ cwd }: CliHost, words: readonly string[] = []) =>
  (): Promise<string[]> =>
    words.length === 0 ? evalFilesIn(join(cwd, DEFAULT_FOLDER)) : findEvalFiles(words, cwd);

/** Suggests what to do where there is nothing to start. */
export const nothingToStart = (host: CliHost, definitions: number): Line[] =>
  definitions > 0
    ? []
    : [
        [
          [`  No evaluation in ${DEFAULT_FOLDER} can be started yet. `, "yellow"],
          [`${host.commandName} init`, "cyan"],
          [" writes one, which is found at once."],
        ],
      ];

type Handler = (request: Request) => Response | Promise<Response>;

const USUAL_PORT = 4747;
const PORTS_TRIED = 20;

/** Listens at the first free one of so many ports. */
async function listenFrom(port: number, tries: number, makeHandler: (port: number) => Handler) {
  try {
    return await listen(port, makeHandler);
  } catch (error) {
    if (tries === 1 || !(error instanceof UsageError)) throw error;
    return listenFrom(port + 1, tries - 1, makeHandler);
  }
}

/** Listens on this machine only; the handler is made once the port is known. */
export async function listen(port: number, makeHandler: (port: number) => Handler) {
  let handler: Handler = () => new Response(null, { status: 503 });
  const server = createAdaptorServer({ fetch: (request: Request) => handler(request) });
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE" && error.code !== "EACCES") throw error;
    const why = error.code === "EACCES" ? "may not be used" : "is in use";
    throw new UsageError(`Port ${port} ${why}; choose another one with --port.`);
  });
  const { port: given } = server.address() as AddressInfo;
  handler = makeHandler(given);
  return {
    port: given,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}
